package io.enipam.sdk.cluster;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An object at one moment. Deeply immutable.
 *
 * @param uid by which one differs from a later one of its name; empty text if the server has not made it yet
 * @param resourceVersion changes with each change of the object; opaque; empty text if the server has not made it yet
 * @param finalizers what has to be done before a deleted object goes
 * @param deletion when it was deleted, if it was: it then waits for its finalizers
 * @param body all but {@code apiVersion}, {@code kind} and {@code metadata}, of which it has {@link #creation} alone: a tree of
 *     {@code Map} with text as keys, {@code List}, {@code String}, {@code Boolean}, {@code Number} and null, as its JSON has it
 */
public record ClusterObject(
        ObjectRef ref,
        String uid,
        String resourceVersion,
        Map<String, String> labels,
        Map<String, String> annotations,
        List<String> finalizers,
        Optional<Instant> deletion,
        Map<String, ?> body) {
    /** More than any server accepts. */
    private static final int DEEPEST = 1_000;

    private static final String METADATA = "metadata";
    private static final String CREATION = "creationTimestamp";

    /** @throws IllegalArgumentException if the body has another type in it, is deeper than 1,000, or names the metadata */
    public ClusterObject {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
        finalizers = List.copyOf(finalizers);
        body = tree(body);
        for (String other : List.of("apiVersion", "kind", METADATA)) {
            if (body.containsKey(other) && !(other.equals(METADATA) && isCreation(body.get(other)))) {
                throw new IllegalArgumentException("the body of " + ref + " has " + other + ", which is elsewhere");
            }
        }
    }

    /** One to be created. */
    public static ClusterObject of(ObjectRef ref, Map<String, ?> body) {
        return new ClusterObject(ref, "", "", Map.of(), Map.of(), List.of(), Optional.empty(), body);
    }

    public ClusterObject withLabels(Map<String, String> now) {
        return new ClusterObject(ref, uid, resourceVersion, now, annotations, finalizers, deletion, body);
    }

    public ClusterObject withAnnotations(Map<String, String> now) {
        return new ClusterObject(ref, uid, resourceVersion, labels, now, finalizers, deletion, body);
    }

    public ClusterObject withFinalizers(List<String> now) {
        return new ClusterObject(ref, uid, resourceVersion, labels, annotations, now, deletion, body);
    }

    /** The same with another time of creation. */
    public ClusterObject withCreation(Instant at) {
        Map<String, Object> now = new LinkedHashMap<>(body);
        now.put(METADATA, Map.of(CREATION, at.toString()));
        return new ClusterObject(ref, uid, resourceVersion, labels, annotations, finalizers, deletion, now);
    }

    private static boolean isCreation(@Nullable Object value) {
        return value instanceof Map<?, ?> metadata
                && metadata.keySet().equals(Set.of(CREATION))
                && metadata.get(CREATION) instanceof String;
    }

    public String name() {
        return ref.name();
    }

    /** When the server made it; empty if it has not yet, or its text is no time. */
    public Optional<Instant> creation() {
        try {
            return at(METADATA, CREATION).map(text -> Instant.parse((String) text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** What the body has at a path: {@code at("spec", "podCIDR")}; empty if there is nothing, or null. */
    public Optional<Object> at(String... path) {
        Object at = body;
        for (String name : path) {
            at = at instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return Optional.ofNullable(at);
    }

    /** A text of the body, or empty text if there is none. */
    public String text(String... path) {
        return at(path).filter(String.class::isInstance).map(String.class::cast).orElse("");
    }

    /** The texts of a list of the body; what is no text is left out. */
    public List<String> texts(String... path) {
        return at(path).filter(List.class::isInstance).stream()
                .flatMap(list -> ((List<?>) list).stream())
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .toList();
    }

    /** A copy that nothing changes. */
    @SuppressWarnings("unchecked") // the copy of a map has text as keys
    static Map<String, ?> tree(Map<String, ?> body) {
        return (Map<String, ?>) copy(body, 0);
    }

    private static @Nullable Object copy(@Nullable Object value, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("an object is deeper than " + DEEPEST);
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> copied = new LinkedHashMap<>();
            map.forEach((key, each) -> {
                if (!(key instanceof String name)) {
                    throw new IllegalArgumentException("a key of an object is no text: " + key);
                }
                copied.put(name, copy(each, depth + 1));
            });
            return Collections.unmodifiableMap(copied);
        }
        if (value instanceof List<?> list) {
            return Collections.unmodifiableList(
                    list.stream().map(each -> copy(each, depth + 1)).collect(Collectors.toList()));
        }
        if (value == null || value instanceof String || value instanceof Boolean || value instanceof Number) {
            return value;
        }
        throw new IllegalArgumentException("a " + value.getClass().getName() + " is nothing that JSON has");
    }
}
