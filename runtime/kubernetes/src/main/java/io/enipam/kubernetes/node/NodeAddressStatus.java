package io.enipam.kubernetes.node;

import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the node's object says of its addresses. One that was made anew under the name says nothing.
 *
 * @param sufficient the condition, where it is there and known
 * @param since when it came to be so, where that is told
 * @param capacity the annotation, where it is there and a number
 */
public record NodeAddressStatus(Optional<Boolean> sufficient, Optional<Instant> since, OptionalInt capacity) {
    static NodeAddressStatus of(Node node) {
        var condition = Optional.ofNullable(node.getStatus())
                .flatMap(status -> Optional.ofNullable(status.getConditions()))
                .flatMap(all -> all.stream()
                        .filter(each -> NodeStatusWriter.CONDITION.equals(each.getType()))
                        .findFirst());
        String capacity = Optional.ofNullable(node.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(NodeStatusWriter.CAPACITY))
                .orElse("");
        return new NodeAddressStatus(
                condition.flatMap(known -> switch (String.valueOf(known.getStatus())) {
                    case "True" -> Optional.of(true);
                    case "False" -> Optional.of(false);
                    default -> Optional.empty();
                }),
                condition.flatMap(known -> instant(known.getLastTransitionTime())),
                capacity.matches("\\d{1,9}") ? OptionalInt.of(Integer.parseInt(capacity)) : OptionalInt.empty());
    }

    private static Optional<Instant> instant(String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException e) {
            // somebody else's: as good as none
            return Optional.empty();
        }
    }
}
