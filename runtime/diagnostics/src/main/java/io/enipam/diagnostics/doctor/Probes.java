package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.engine.concurrent.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The probes that gather the facts. Complete before the first run; then thread-safe. A probe that hangs is not begun
 * again by later runs, so it costs one thread.
 */
public final class Probes {
    private final Map<Class<?>, Probe<?>> byPart = new LinkedHashMap<>();
    private final Supplier<MissingFact> others;

    /** The last gathering of each part, which may not have come to its end. */
    private final Map<Class<?>, CompletableFuture<?>> running = new ConcurrentHashMap<>();

    /** @param others why there are no facts without a probe, which checks then do not miss */
    public static Probes without(String others) {
        return new Probes(() -> MissingFact.notApplicable(others));
    }

    public Probes() {
        this(() -> new MissingFact("nothing in this build tells of it"));
    }

    private Probes(Supplier<MissingFact> others) {
        this.others = others;
    }

    public <T extends Record> Probes with(Class<T> part, Probe<T> probe) {
        byPart.put(part, probe);
        return this;
    }

    int size() {
        return byPart.size();
    }

    /**
     * The facts of one run. A part that does not come in time is missing for the checks that want it; the others are
     * not held up.
     *
     * @param patience with each part
     * @param given parts that are there already
     */
    Facts gather(Executor threads, Duration patience, Instant now, List<? extends Record> given) {
        Gathered facts = new Gathered(threads, patience, now);
        given.forEach(part -> facts.parts.put(part.getClass(), CompletableFuture.completedFuture(part)));
        return facts;
    }

    private CompletableFuture<? extends Record> begin(Class<?> part, Executor threads) {
        Probe<?> probe = byPart.get(part);
        if (probe == null) {
            throw others.get();
        }
        CompletableFuture<?> before = running.get(part);
        if (before != null && !before.isDone()) {
            throw new MissingFact("it was asked for earlier, and there is still no answer");
        }
        CompletableFuture<? extends Record> begun = CompletableFuture.supplyAsync(() -> gathered(probe), threads);
        running.put(part, begun);
        return begun.copy();
    }

    private static <T extends Record> T gathered(Probe<T> probe) {
        try {
            return probe.gather();
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    @FunctionalInterface
    public interface Probe<T extends Record> {
        /**
         * Looks; may block for some seconds.
         *
         * @throws MissingFact if there is no such thing in this build or configuration
         * @throws Exception if it cannot be had now
         */
        T gather() throws Exception;
    }

    private final class Gathered implements Facts {
        private final Executor threads;
        private final Duration patience;
        private final Instant now;
        private final Map<Class<?>, CompletableFuture<? extends Record>> parts = new ConcurrentHashMap<>();

        Gathered(Executor threads, Duration patience, Instant now) {
            this.threads = threads;
            this.patience = patience;
            this.now = now;
        }

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public <T extends Record> T the(Class<T> part) {
            try {
                return part.cast(parts.computeIfAbsent(
                                part,
                                first -> begin(first, threads).orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS))
                        .join());
            } catch (CompletionException e) {
                Throwable cause = Stages.cause(e);
                if (cause instanceof MissingFact missing) {
                    throw missing;
                }
                throw new MissingFact(
                        cause instanceof TimeoutException
                                ? "no answer within " + patience.toSeconds() + " s"
                                : Objects.requireNonNullElse(cause.getMessage(), cause.toString()));
            }
        }
    }
}
