package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Probes.Probe;
import io.enipam.engine.concurrent.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The facts of one run. A part that does not come in time is missing for the checks that want it; the others are not held up. */
final class GatheredFacts implements Facts {
    private final Probes probes;
    private final RunningProbes running;
    private final Executor threads;
    private final Duration patience;
    private final Instant now;
    private final Map<Class<?>, CompletableFuture<?>> parts = new ConcurrentHashMap<>();

    /**
     * @param running the probes of earlier runs that have not come to their end
     * @param given parts that are there already
     */
    GatheredFacts(
            Probes probes,
            RunningProbes running,
            Executor threads,
            Duration patience,
            Instant now,
            List<? extends Record> given) {
        this.probes = probes;
        this.running = running;
        this.threads = threads;
        this.patience = patience;
        this.now = now;
        given.forEach(part -> parts.put(part.getClass(), CompletableFuture.completedFuture(part)));
    }

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public <T extends Record> T the(Class<T> part) {
        try {
            return part.cast(parts.computeIfAbsent(part, first -> begin(part)).join());
        } catch (CompletionException e) {
            Throwable cause = Stages.cause(e);
            if (cause instanceof MissingFact missing) {
                throw missing;
            }
            throw new MissingFact(
                    cause instanceof TimeoutException
                            ? "no answer within " + patience.toSeconds() + " s"
                            : cause.getMessage() == null ? cause.toString() : cause.getMessage());
        }
    }

    private <T extends Record> CompletableFuture<T> begin(Class<T> part) {
        Probe<T> probe = probes.of(part)
                .orElseThrow(() -> new MissingFact("nothing in this build tells of " + part.getSimpleName()));
        return running.begin(part, () -> CompletableFuture.supplyAsync(() -> gathered(probe), threads))
                .orElseThrow(() -> new MissingFact("it was asked for earlier, and there is still no answer"))
                .copy()
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS);
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

    /** The probes under way, over all runs. One that hangs is not begun again, so it costs one thread. Thread-safe. */
    static final class RunningProbes {
        private final Map<Class<?>, CompletableFuture<?>> running = new ConcurrentHashMap<>();

        /** @return empty, and nothing is begun, if the one of an earlier run has not come to its end */
        <T> Optional<CompletableFuture<T>> begin(Class<T> part, Supplier<CompletableFuture<T>> probe) {
            CompletableFuture<?> before = running.get(part);
            if (before != null && !before.isDone()) {
                return Optional.empty();
            }
            CompletableFuture<T> begun = probe.get();
            running.put(part, begun);
            return Optional.of(begun);
        }
    }
}
