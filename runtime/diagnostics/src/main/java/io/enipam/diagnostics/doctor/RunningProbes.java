package io.enipam.diagnostics.doctor;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The probes under way, over all runs. One that hangs is not begun again, so it costs one thread. Thread-safe. */
final class RunningProbes {
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
