package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginFailures.CallFailure;
import io.enipam.pluginhost.guard.PluginGuard.GuardContext;
import io.enipam.pluginhost.guard.ThreadPoolBulkhead.PluginTask;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls of one part of a plugin, on threads that it shares with no other part: each has a deadline, and together they have a
 * bounded number of places, a breaker and counters. Outcomes complete on the engine's threads; a failure is a
 * {@link PluginCallException}. Thread-safe.
 */
public final class GuardedCalls {
    private final PluginFailures failures;
    private final GuardContext context;
    private final ThreadPoolBulkhead lane;

    /** Calls of one sort to the same part, with threads and a breaker of their own: other calls go on where these hang or fail. */
    public GuardedCalls apart(String what, int threads) {
        return new GuardedCalls(what, failures, context.with(threads));
    }

    /**
     * @param part what the calls go to, for operators: {@code extension vlan}
     * @param failures of the part
     */
    GuardedCalls(String part, PluginFailures failures, GuardContext context) {
        this.failures = failures;
        this.context = context;
        this.lane = new ThreadPoolBulkhead(part, context);
        context.health().add(lane);
    }

    /**
     * Does something with the part that answers at once.
     *
     * @param what its name, for operators: {@code open}
     * @param deadline after this the future fails and the thread is interrupted
     * @param work may block; must not answer null. A {@link FactoryException} is an answer like any other, as far as
     *     the breaker goes
     */
    public <T> CompletableFuture<T> call(String what, Duration deadline, Callable<T> work) {
        CompletableFuture<T> out = new CompletableFuture<>();
        lane.send(
                new PluginTask(
                        what,
                        () -> answered(what, work, out),
                        thrown -> fail(out, failures.threw(what, thrown)),
                        () -> fail(out, failures.late(what, deadline)),
                        (why, retryAfter) -> fail(out, failures.refused(what + ": " + why))),
                deadline);
        return out;
    }

    /**
     * The same for something that is made, and has to be given back when it comes too late.
     *
     * @param giveBack gets what was made after the deadline; does not block
     */
    public <T> CompletableFuture<T> open(String what, Duration deadline, Callable<T> open, Consumer<T> giveBack) {
        CompletableFuture<Optional<T>> delivery = new CompletableFuture<>();
        return call(what, deadline, () -> {
                    T made = open.call();
                    if (!delivery.complete(Optional.ofNullable(made)) && made != null) {
                        giveBack.accept(made);
                    }
                    return made;
                })
                .whenComplete((made, failure) -> {
                    if (failure != null && !delivery.cancel(false)) {
                        delivery.join().ifPresent(giveBack);
                    }
                });
    }

    /**
     * Does something with the part that answers later, on any thread.
     *
     * @param deadline after this the future fails; counts from now until the answer
     * @param work must not block; must not answer null, nor complete with null
     */
    public <T> CompletableFuture<T> later(
            String what, Duration deadline, Callable<? extends @Nullable CompletionStage<T>> work) {
        CompletableFuture<T> out = new CompletableFuture<>();
        AtomicBoolean returned = new AtomicBoolean();
        lane.send(
                new PluginTask(
                        what,
                        () -> begun(what, work, out, returned),
                        thrown -> fail(out, failures.threw(what, thrown)),
                        () -> {},
                        (why, retryAfter) -> fail(out, failures.refused(what + ": " + why))),
                deadline);
        var timer = context.watchdog().after(deadline.toNanos(), () -> {
            if (!out.isDone()) {
                if (returned.get()) {
                    String late = what + " did not complete within " + deadline.toMillis() + " ms";
                    context.tally().late(lane.part(), late);
                    lane.recordLateFailure(late);
                }
                fail(out, failures.late(what, deadline));
            }
        });
        return out.whenComplete((answer, failure) -> timer.cancel(false));
    }

    /**
     * Runs something of the part that takes as long as it takes, such as the work on a connection, on a thread of its own. What it
     * throws counts as the plugin's failure, and is not told to anyone.
     *
     * @return the thread, which runs; whoever has it ends it by an interrupt
     */
    public Thread unbounded(String what, Runnable work) {
        Thread thread = context.threads().newThread(() -> {
            context.tally().made.increment();
            try {
                work.run();
            } catch (Throwable e) {
                context.tally().threw(lane.part(), what, e);
            }
        });
        thread.start();
        return thread;
    }

    private <T> Optional<CallFailure> answered(String what, Callable<T> work, CompletableFuture<T> out)
            throws Exception {
        @Nullable T answer;
        try {
            answer = work.call();
        } catch (FactoryException e) {
            fail(out, failures.threw(what, e));
            return Optional.empty();
        }
        return delivered(what, answer, out);
    }

    private <T> Optional<CallFailure> begun(
            String what,
            Callable<? extends @Nullable CompletionStage<T>> work,
            CompletableFuture<T> out,
            AtomicBoolean returned)
            throws Exception {
        @Nullable CompletionStage<T> stage = work.call();
        returned.set(true);
        if (stage == null) {
            return delivered(what, null, out);
        }
        stage.whenComplete((answer, failure) -> {
            if (failure != null) {
                context.tally().threw(lane.part(), what, failure);
                fail(out, failures.threw(what, failure));
            } else {
                delivered(what, answer, out).ifPresent(trouble -> {
                    context.tally().count(lane.part(), trouble);
                    lane.recordLateFailure(trouble.text());
                });
            }
        });
        return Optional.empty();
    }

    private <T> Optional<CallFailure> delivered(String what, @Nullable T answer, CompletableFuture<T> out) {
        if (answer == null) {
            fail(out, failures.rejected(what));
            return Optional.of(CallFailure.rejected(what + " answered null"));
        }
        context.engine().execute(() -> out.complete(answer));
        return Optional.empty();
    }

    /**
     * Closes the part, on a thread of its own whatever became of the others.
     *
     * @return completes when it is closed, or when its deadline has passed; never fails
     */
    public CompletableFuture<Void> close(AutoCloseable part) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        GuardedClose.begin(part, failures, context, () -> context.engine().execute(() -> ended.complete(null)));
        return ended;
    }

    private void fail(CompletableFuture<?> out, FactoryException failure) {
        context.engine().execute(() -> out.completeExceptionally(failure));
    }

    /** Refuses whatever comes from now on, and interrupts what is under way. */
    public void end() {
        lane.close();
    }
}
