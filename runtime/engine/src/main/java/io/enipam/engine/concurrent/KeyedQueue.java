package io.enipam.engine.concurrent;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Runs asynchronous tasks one at a time per key, in the order of the calls; tasks of different keys do not wait for each
 * other. Holds nothing of a key without tasks. Thread-safe.
 */
public final class KeyedQueue<K> {
    private final Map<K, CompletableFuture<?>> tails = new ConcurrentHashMap<>();

    /** Runs a task after all earlier ones of the key have ended, well or not. */
    public <T> CompletableFuture<T> run(K key, Supplier<? extends CompletionStage<T>> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<?> before = tails.put(key, mine);
        Runnable start = () -> Stages.call(task).whenComplete((value, error) -> {
            tails.remove(key, mine);
            if (error == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(Stages.cause(error));
            }
            mine.complete(null);
        });
        if (before == null) {
            start.run();
        } else {
            before.whenComplete((value, error) -> start.run());
        }
        return result;
    }

    /** The keys that have a task now. */
    public Set<K> keys() {
        return Set.copyOf(tails.keySet());
    }

    /** How many keys have a task now. */
    public int busy() {
        return tails.size();
    }
}
