package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.CloudWord;
import io.enipam.diagnostics.sources.EniBook;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.ResourceDb;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the cloud has of this node's, somebody here knows: DESIGN's fourth invariant. What a call under way is making is not
 * known yet, so an ENI with an open operation is left alone, and so is everything new while a create is open; what the book had
 * when the cloud was asked, or has now, is known.
 */
final class CloudAndBook implements Comparison {
    @Override
    public List<Difference> differences(Snapshot snapshot) {
        Optional<CloudWord> cloud = snapshot.told(CloudWord.class);
        Optional<EniBook> book = snapshot.told(EniBook.class);
        Optional<ResourceDb.Contents> db = snapshot.told(ResourceDb.Contents.class);
        if (cloud.isEmpty() || book.isEmpty() || db.isEmpty()) {
            return List.of();
        }
        List<CloudOperation> open =
                db.get().operations().stream().map(entry -> entry.operation()).toList();
        boolean creating = open.stream().anyMatch(CloudOperation.Create.class::isInstance);
        Set<String> busy = open.stream().map(CloudOperation::subject).collect(Collectors.toSet());
        List<Difference> found = new ArrayList<>();
        for (ObservedEni eni : cloud.get().testimony().enis()) {
            if (!eni.secondary() || busy.contains(eni.id())) {
                continue;
            }
            Optional<EniDirectory.Eni> now = book.get().eni(eni.id());
            Optional<EniDirectory.Eni> then = cloud.get().before().eni(eni.id());
            if (now.isPresent()) {
                addresses(eni, now.get(), then, found);
            } else if (eni.tagged()
                    && then.isEmpty()
                    && !creating
                    && !eni.status().equals("Deleting")) {
                found.add(unknown(eni));
            }
        }
        return found;
    }

    private static void addresses(
            ObservedEni seen, EniDirectory.Eni now, Optional<EniDirectory.Eni> then, List<Difference> found) {
        // a book without any IPv6 address is of a node whose pods have none: then those of an ENI are not its concern
        for (String address : now.ipv6s().isEmpty() ? seen.ips() : seen.addresses()) {
            boolean known =
                    has(now, address) || then.filter(eni -> has(eni, address)).isPresent();
            if (!known && now.state().equals("InUse")) {
                found.add(new Difference(
                        Kind.ADDRESS_UNKNOWN,
                        seen.id() + "/" + address,
                        Set.of(address),
                        seen.id(),
                        Optional.empty(),
                        Optional.empty(),
                        "the cloud has " + address + " on " + seen.id() + ", and nobody here knows of it",
                        Facts.says(Facts.CLOUD, "on " + seen.id(), Facts.BOOK, "not on " + seen.id())));
            }
        }
    }

    private static boolean has(EniDirectory.Eni eni, String address) {
        return eni.all().stream().map(Facts::bare).anyMatch(address::equals);
    }

    private static Difference unknown(ObservedEni eni) {
        return new Difference(
                Kind.ENI_UNKNOWN,
                eni.id(),
                Set.copyOf(eni.addresses()),
                eni.id(),
                Optional.empty(),
                Optional.empty(),
                "ENI " + eni.id() + " carries this node's tags and is known to nobody here",
                Facts.says(
                        Facts.CLOUD,
                        eni.status() + (eni.instance().isEmpty() ? ", attached to nothing" : ", on " + eni.instance()),
                        Facts.BOOK,
                        "not in it"));
    }
}
