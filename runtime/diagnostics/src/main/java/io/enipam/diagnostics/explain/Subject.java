package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.util.Optional;
import java.util.Set;

/**
 * What is to be explained.
 *
 * @param name its full name
 * @param addresses it itself, or those it has
 * @param eni of an ENI its id, else empty text
 */
record Subject(
        Kind kind, String name, Set<String> addresses, Optional<PodRef> pod, Optional<OwnerKey> owner, String eni) {
    enum Kind {
        ADDRESS,
        POD,
        ENI,
        CONTAINER
    }

    Subject {
        addresses = Set.copyOf(addresses);
    }

    static Subject address(String address) {
        return new Subject(Kind.ADDRESS, address, Set.of(address), Optional.empty(), Optional.empty(), "");
    }

    static Subject eni(String id) {
        return new Subject(Kind.ENI, id, Set.of(), Optional.empty(), Optional.empty(), id);
    }

    /** Whether a source speaks of it. */
    boolean fits(Statement statement) {
        return switch (kind) {
            case ADDRESS ->
                statement.about(name)
                        || pod.isPresent()
                                && statement.topic() == Topic.POD
                                && statement.pod().equals(pod);
            case POD -> statement.pod().equals(pod) || placeOfItsAddress(statement);
            case ENI -> statement.eni().equals(eni);
            case CONTAINER ->
                statement.owner().equals(owner)
                        || statement.topic() == Topic.POD && statement.pod().equals(pod)
                        || placeOfItsAddress(statement);
        };
    }

    private boolean placeOfItsAddress(Statement statement) {
        return statement.topic() == Topic.ENI && addresses.stream().anyMatch(statement::about);
    }

    /** Whether a difference is about it. */
    boolean fits(Difference difference) {
        return switch (kind) {
            case ADDRESS -> difference.addresses().contains(name);
            case POD -> difference.pod().equals(pod) || shares(difference);
            case ENI -> difference.eni().equals(eni);
            case CONTAINER -> difference.owner().equals(owner) || shares(difference);
        };
    }

    private boolean shares(Difference difference) {
        return difference.addresses().stream().anyMatch(addresses::contains);
    }
}
