package io.enipam.engine.concurrent;

import io.enipam.engine.port.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Tasks pass freely, any number at a time, until a caller pauses the gate: then those inside end, new ones wait before the gate,
 * and go on when the quiet is over. Thread-safe; nothing blocks. {@code this} guards all fields.
 */
public final class PauseGate {
    private final List<Runnable> before = new ArrayList<>();
    private CompletableFuture<Void> empty = CompletableFuture.completedFuture(null);
    private int inside;
    private boolean shut;

    /**
     * Runs a task now, or when the quiet is over, if that is soon.
     *
     * @param patience how long the task waits before the gate at most; then it is not run at all
     * @param late why it was not
     */
    public <T> CompletableFuture<T> run(
            Supplier<? extends CompletionStage<T>> task,
            Duration patience,
            Scheduler scheduler,
            Supplier<? extends Throwable> late) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable enter = () -> Stages.call(task).whenComplete((value, error) -> {
            leave();
            Stages.pass(answer, value, error);
        });
        if (isOpen(enter)) {
            enter.run();
            return answer;
        }
        Scheduler.Cancellable timer = scheduler.after(patience, () -> {
            if (withdraw(enter)) {
                answer.completeExceptionally(late.get());
            }
        });
        answer.whenComplete((value, error) -> timer.cancel());
        return answer;
    }

    /** Counts a task as inside; if the gate is shut, the task waits before it. */
    private synchronized boolean isOpen(Runnable enter) {
        if (shut) {
            before.add(enter);
        } else {
            inside++;
        }
        return !shut;
    }

    private synchronized boolean withdraw(Runnable enter) {
        return before.remove(enter);
    }

    private void leave() {
        CompletableFuture<Void> waiting = null;
        synchronized (this) {
            inside--;
            if (inside == 0 && shut) {
                waiting = empty;
            }
        }
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /**
     * Shuts the gate. Only one may ask for quiet at a time.
     *
     * @return completes when no task is inside
     */
    public synchronized CompletableFuture<Void> pause() {
        if (shut) {
            throw new IllegalStateException("the gate is shut already");
        }
        shut = true;
        empty = inside == 0 ? CompletableFuture.completedFuture(null) : new CompletableFuture<>();
        return empty;
    }

    public void resume() {
        List<Runnable> waiting;
        synchronized (this) {
            shut = false;
            waiting = List.copyOf(before);
            before.clear();
            inside += waiting.size();
        }
        waiting.forEach(Runnable::run);
    }
}
