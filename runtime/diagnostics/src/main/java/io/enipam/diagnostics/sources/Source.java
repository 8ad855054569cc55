package io.enipam.diagnostics.sources;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A place that knows about this node: the database, the pool, the cloud. Thread-safe.
 *
 * @param <T> the type of the answer, immutable, and no other source's
 * @param patience how long an answer may take
 * @param costly whether asking uses a scarce budget, so that an answer is kept for callers that do not need a new one
 * @param absent why there is no such source in this build or configuration; empty if there is one. Instant
 * @param ask asks; its argument is true for a caller that wants a source which answers from a memory to look past it.
 *     May block: it runs on a thread of its own, and never twice at a time. The stage's failure, or an exception, says
 *     why there is no answer
 * @param statements the answer as single statements, for comparing and for showing. Pure
 */
public record Source<T>(
        String name,
        Class<T> type,
        Duration patience,
        boolean costly,
        Supplier<Optional<String>> absent,
        Function<Boolean, CompletionStage<T>> ask,
        Function<T, List<Statement>> statements) {
    public static final String DATABASE = "database";
    public static final String POOL = "pool";
    public static final String ENI_REGISTRY = "ENI book";
    public static final String CLOUD = "cloud";
    public static final String KERNEL = "kernel";
    public static final String API_SERVER = "API server";
}
