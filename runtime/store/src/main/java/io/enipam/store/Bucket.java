package io.enipam.store;

import java.util.Locale;
import java.util.Optional;

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
}
