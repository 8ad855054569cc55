package io.enipam.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.engine.model.Hold;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The parts of the database, as format 4 has them. The names, and their order, are on disk. */
enum Bucket {
    /** The database itself: key {@code database}; and its node: key {@code node}. */
    META,
    /** Key: the owner's text. */
    LEASES,
    /** Resources kept for one pod. Key: the factory's name and the resource's id, with a slash between. */
    RESERVATIONS,
    /** Resources that cool down. Key as in {@link #RESERVATIONS}. */
    QUARANTINE,
    /** Key: the token of a create; of a disposal, that of {@link #RESERVATIONS}. */
    INTENTS,
    /** Key: the operation's id. */
    OPERATIONS,
    /** Copies of pods. Key: namespace and name. */
    PODS,
    /** Rows of plugins' tables. Key: plugin, table and the row's key, with slashes between. */
    TABLES;

    /** The bucket of format 1 with the holds of both purposes: read into those of today, never written. */
    static final String LEGACY_HOLDS = "holds";

    /** The buckets of a checkpoint of format 1, in the order of its seal; the later ones came to be within the format. */
    static final List<String> LEGACY_CHECKPOINT =
            List.of("meta", "leases", LEGACY_HOLDS, "intents", "operations", "pods");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String text = name().toLowerCase(Locale.ROOT);

    String text() {
        return text;
    }

    static Optional<Bucket> parse(String text) {
        for (Bucket bucket : values()) {
            if (bucket.text.equals(text)) {
                return Optional.of(bucket);
            }
        }
        return Optional.empty();
    }

    /** The bucket of the holds of one purpose; a resource has one hold at most, in either of the two. */
    static Bucket of(Hold.Purpose purpose) {
        return switch (purpose) {
            case RESERVED -> RESERVATIONS;
            case COOLING -> QUARANTINE;
        };
    }

    /** The bucket of a hold of format 1; throws IllegalArgumentException if the record has no purpose. */
    static Bucket ofLegacyHold(String json) {
        try {
            return of(Hold.Purpose.valueOf(JSON.readTree(json).path("purpose").asText()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a hold that is not readable: " + e.getMessage(), e);
        }
    }
}
