package io.enipam.sdk.cluster;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A change of an object: what it does not name stays. Immutable.
 *
 * @param change a tree as that of {@link ClusterObject#body}, with {@code metadata} where labels, annotations or finalizers change; null
 *     removes what is there
 * @param status whether it changes the subresource {@code status}, and that alone
 * @param uid that of the object that is to be changed; empty text for any one of the name
 * @param resourceVersion that which the object must still have; empty text for any
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply">API concepts: patch</a>
 */
public record Patch(Format format, Map<String, ?> change, boolean status, String uid, String resourceVersion) {
    /** How lists are changed. */
    public enum Format {
        /** A list takes the place of the former one (RFC 7386). For all kinds. */
        MERGE,
        /** Lists are merged as the kind's schema says, such as conditions by their type. For built-in kinds, not for custom resources. */
        STRATEGIC
    }

    public Patch {
        change = ClusterObject.tree(change);
    }

    public static Patch merge(Map<String, ?> change) {
        return new Patch(Format.MERGE, change, false, "", "");
    }

    public static Patch strategic(Map<String, ?> change) {
        return new Patch(Format.STRATEGIC, change, false, "", "");
    }

    /** Replaces an object's finalizers, if it is unchanged: another writer's is not lost. */
    public static Patch finalizers(ClusterObject object, List<String> now) {
        return merge(Map.of("metadata", Map.of("finalizers", now))).ifUnchanged(object);
    }

    /**
     * Sets a condition of a node.
     *
     * @param node as it is known: the time of the last transition stays where the condition held, or did not hold, already
     * @param type {@code NetworkUnavailable}
     * @param reason in CamelCase
     */
    public static Patch condition(
            ClusterObject node, String type, boolean holds, String reason, String message, Instant now) {
        String status = holds ? "True" : "False";
        String at = now.truncatedTo(ChronoUnit.SECONDS).toString();
        Map<String, ?> condition = Map.of(
                "type", type,
                "status", status,
                "reason", reason,
                "message", message,
                "lastHeartbeatTime", at,
                "lastTransitionTime", since(node, type, status).orElse(at));
        return strategic(Map.of("status", Map.of("conditions", List.of(condition))))
                .ofStatus()
                .ifSame(node);
    }

    private static Optional<String> since(ClusterObject node, String type, String status) {
        return node.at("status", "conditions").filter(List.class::isInstance).stream()
                .flatMap(conditions -> ((List<?>) conditions).stream())
                .filter(each -> each instanceof Map<?, ?> condition
                        && type.equals(condition.get("type"))
                        && status.equals(condition.get("status")))
                .map(condition -> ((Map<?, ?>) condition).get("lastTransitionTime"))
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .findFirst();
    }

    /** The same on the subresource {@code status}. */
    public Patch ofStatus() {
        return new Patch(format, change, true, uid, resourceVersion);
    }

    /** The same, but only if the object has not changed since. */
    public Patch ifUnchanged(ClusterObject object) {
        return new Patch(format, change, status, object.uid(), object.resourceVersion());
    }

    /** The same, but only if it is still the same object, changed or not. */
    public Patch ifSame(ClusterObject object) {
        return new Patch(format, change, status, object.uid(), "");
    }

    /** What is sent: the change with what must be true of the object. */
    public Map<String, ?> body() {
        Map<String, Object> metadata = new LinkedHashMap<>();
        if (change.get("metadata") instanceof Map<?, ?> changed) {
            changed.forEach((key, value) -> metadata.put(String.valueOf(key), value));
        }
        if (!uid.isEmpty()) {
            metadata.put("uid", uid);
        }
        if (!resourceVersion.isEmpty()) {
            metadata.put("resourceVersion", resourceVersion);
        }
        Map<String, Object> body = new LinkedHashMap<>(change);
        if (!metadata.isEmpty()) {
            body.put("metadata", metadata);
        }
        return body;
    }
}
