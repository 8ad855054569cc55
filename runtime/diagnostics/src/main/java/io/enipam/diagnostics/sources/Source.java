package io.enipam.diagnostics.sources;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A place that knows about this node: the database, the pool, the cloud. Thread-safe.
 *
 * @param <T> the type of the answer, immutable, and no other source's
 */
public abstract class Source<T> {
    public static final String DATABASE = "database";
    public static final String POOL = "pool";
    public static final String ENI_REGISTRY = "ENI book";
    public static final String CLOUD = "cloud";
    public static final String KERNEL = "kernel";
    public static final String API_SERVER = "API server";

    private final String name;
    private final Class<T> type;
    private final Duration patience;

    /**
     * @param name for display: "database", "kernel"
     * @param patience how long an answer may take
     */
    protected Source(String name, Class<T> type, Duration patience) {
        this.name = name;
        this.type = type;
        this.patience = patience;
    }

    public final String name() {
        return name;
    }

    public final Class<T> type() {
        return type;
    }

    final Duration patience() {
        return patience;
    }

    /** Why there is no such source in this build or configuration; empty if there is one. Instant. */
    public Optional<String> absent() {
        return Optional.empty();
    }

    /** Whether asking uses a scarce budget, so that an answer is kept for callers that do not need a new one. */
    public boolean costly() {
        return false;
    }

    /**
     * Asks. May block: it runs on a thread of its own, and never twice at a time. The stage's failure, or an exception,
     * says why there is no answer.
     */
    public abstract CompletionStage<T> ask();

    /** As {@link #ask()}; with {@code anew}, a source that answers from a memory looks past it. Such calls are rare. */
    public CompletionStage<T> ask(boolean anew) {
        return ask();
    }

    /** The answer as single statements, for comparing and for showing. Pure. */
    public abstract List<Statement> statements(T answer);
}
