package io.enipam.engine.concurrent;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Runs asynchronous tasks one at a time per key, in the order of the calls; tasks of different keys do not wait for each
 * other. Holds nothing of a key without tasks. Thread-safe.
 *
 * <p>A key is in {@link #waiting} while one of its tasks runs. The end of a task starts the next one in a loop and not
 * below its own completion: tasks that end at once, thousands of them behind one, would overflow the stack otherwise.
 */
public final class KeyedQueue<K> {
    /** The tasks that wait, for each key that has a running one. Guarded by itself. */
    private final Map<K, Queue<Supplier<CompletableFuture<Boolean>>>> waiting = new HashMap<>();

    /** Runs a task after all earlier ones of the key have ended, well or not. */
    public <T> CompletableFuture<T> run(K key, Supplier<? extends CompletionStage<T>> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Supplier<CompletableFuture<Boolean>> step = () -> step(key, task, result);
        synchronized (waiting) {
            Queue<Supplier<CompletableFuture<Boolean>>> behind = waiting.get(key);
            if (behind != null) {
                behind.add(step);
                return result;
            }
            waiting.put(key, new ArrayDeque<>());
        }
        start(key, step);
        return result;
    }

    /** Starts a task. The future completes after its result, with whether another task of the key waits. */
    private <T> CompletableFuture<Boolean> step(
            K key, Supplier<? extends CompletionStage<T>> task, CompletableFuture<T> result) {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        Stages.call(task).whenComplete((value, error) -> {
            boolean more = anotherWaits(key);
            Stages.pass(result, value, error);
            ended.complete(more);
        });
        return ended;
    }

    private void start(K key, Supplier<CompletableFuture<Boolean>> first) {
        Supplier<CompletableFuture<Boolean>> step = first;
        while (true) {
            CompletableFuture<Boolean> ended = step.get();
            // the later of the two, this loop and the end of the task, goes on with the next one
            AtomicBoolean passed = new AtomicBoolean();
            ended.thenAccept(more -> {
                if (!passed.compareAndSet(false, true) && more) {
                    start(key, next(key));
                }
            });
            if (passed.compareAndSet(false, true) || !ended.join()) {
                return;
            }
            step = next(key);
        }
    }

    /** Whether a task of the key waits; if none does, the key is free. */
    private boolean anotherWaits(K key) {
        synchronized (waiting) {
            if (waiting.get(key).isEmpty()) {
                waiting.remove(key);
                return false;
            }
            return true;
        }
    }

    private Supplier<CompletableFuture<Boolean>> next(K key) {
        synchronized (waiting) {
            return waiting.get(key).remove();
        }
    }

    public Set<K> keys() {
        synchronized (waiting) {
            return Set.copyOf(waiting.keySet());
        }
    }
}
