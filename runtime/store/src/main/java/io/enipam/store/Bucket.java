package io.enipam.store;

import java.util.Locale;
import java.util.Optional;
import io.enipam.engine.model.Hold;
import java.util.List;

/** The parts of the database, as format 2 has them. The names, and their order, are on disk. */
enum Bucket {
    /** The database itself: key {@code database}; and its node: key {@code node}. */
    META,
    /** Key: the owner's text. */
    LEASES,
    /** Resources kept for one pod. Key: the resource's id. */
    RESERVATIONS,
    /** Resources nobody gets yet. Key: the resource's id. */
    QUARANTINE,
    /** Key: the intent's token. */
    INTENTS,
    /** Key: the operation's id. */
    OPERATIONS,
    /** Copies of pods. Key: namespace and name. */
    PODS;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The name on disk and in dumps. */
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

    /** Holds on disk: those of one purpose stand in one bucket, and a resource has one hold at most, in either of the two. */
    static final class HoldBuckets {
        private HoldBuckets() {}

        static Bucket of(Hold.Purpose purpose) {
            return switch (purpose) {
                case RESERVED -> Bucket.RESERVATIONS;
                case COOLING -> Bucket.QUARANTINE;
            };
        }

        /** @param json the hold's record */
        static List<Mutation> put(Hold hold, String json) {
            return put(of(hold.purpose()), hold.resource().id().value(), json);
        }

        /** Adds or replaces a hold, whichever purpose the one before had. */
        static List<Mutation> put(Bucket bucket, String resource, String json) {
            Bucket other = bucket == Bucket.RESERVATIONS ? Bucket.QUARANTINE : Bucket.RESERVATIONS;
            return List.of(Mutation.remove(other, resource), Mutation.put(bucket, resource, json));
        }

        static List<Mutation> remove(String resource) {
            return List.of(Mutation.remove(Bucket.RESERVATIONS, resource), Mutation.remove(Bucket.QUARANTINE, resource));
        }
    }
}
