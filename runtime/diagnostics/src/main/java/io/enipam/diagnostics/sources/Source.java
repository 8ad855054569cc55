package io.enipam.diagnostics.sources;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Somebody who can be asked about this node. Thread-safe.
 *
 * @param <T> the shape of the answer, immutable, and no other source's
 */
public interface Source<T> {
    /** As people read it: "database", "kernel". */
    String name();

    Class<T> type();

    /** Why there is no such source in this build or configuration; empty if there is one. Instant. */
    default Optional<String> absent() {
        return Optional.empty();
    }

    /** Whether asking costs something that is short, so that an answer is kept for those who do not need a new one. */
    default boolean costly() {
        return false;
    }

    /** How long an answer may take. */
    Duration patience();

    /**
     * Asks. May block: it runs on a thread of its own, and never twice at a time. The stage's failure, or what is thrown, says
     * why there is no answer.
     */
    CompletionStage<T> ask();

    /**
     * The same, of a source that answers out of a memory that is kept up to date, and can be made to look past it.
     *
     * @param anew whether somebody wants it to look anew; such looks are few
     */
    default CompletionStage<T> ask(boolean anew) {
        return ask();
    }

    /** The answer as single statements, for comparing and for showing. Pure. */
    List<Saying> sayings(T told);
}
