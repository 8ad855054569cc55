package io.enipam.engine.concurrent;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stages with deadlines, and what a stage failed with. */
public final class Stages {
    private Stages() {}

    /** The same outcome, or an error once the time is up. The stage itself is not cancelled. */
    public static <T> CompletableFuture<T> within(
            CompletionStage<T> stage, Duration timeout, Scheduler scheduler, Supplier<? extends Throwable> late) {
        CompletableFuture<T> bounded = new CompletableFuture<>();
        stage.whenComplete((value, error) -> pass(bounded, value, error));
        if (!bounded.isDone()) {
            Scheduler.Cancellable timer = scheduler.after(timeout, () -> {
                if (!bounded.isDone()) {
                    bounded.completeExceptionally(late.get());
                }
            });
            bounded.whenComplete((value, error) -> timer.cancel());
        }
        return bounded;
    }

    /** {@link #call Calls} something, and fails with {@code DEADLINE_EXCEEDED} once the time is up. */
    public static <T> CompletableFuture<T> ask(
            Supplier<? extends CompletionStage<T>> call, Duration timeout, Scheduler scheduler) {
        String late = "no answer within " + timeout.toSeconds() + "s";
        return within(call(call), timeout, scheduler, () -> new IpamException(ErrorCode.DEADLINE_EXCEEDED, late, ""));
    }

    public static CompletableFuture<Void> pause(Duration time, Scheduler scheduler) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        scheduler.after(time, () -> over.complete(null));
        return over;
    }

    /** Gives a future the outcome of a stage. */
    public static <T> void pass(CompletableFuture<T> future, T value, @Nullable Throwable error) {
        if (error == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(cause(error));
        }
    }

    /** Calls something that answers with a stage; what it throws becomes the stage's failure, a null answer too. */
    public static <T> CompletionStage<T> call(Supplier<? extends CompletionStage<T>> call) {
        try {
            CompletionStage<T> stage = call.get();
            return stage == null
                    ? CompletableFuture.failedFuture(new NullPointerException("null instead of a stage"))
                    : stage;
        } catch (RuntimeException | LinkageError e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The same outcome, which a span ends with first. */
    public static <T> CompletableFuture<T> traced(Span span, CompletableFuture<T> stage) {
        if (!span.isRecording()) {
            return stage;
        }
        return stage.whenComplete((value, error) -> {
            if (error == null) {
                span.done();
            } else {
                fail(span, error);
            }
        });
    }

    public static void fail(Span span, Throwable error) {
        Throwable cause = cause(error);
        String message = cause.getMessage();
        span.failed(
                cause instanceof IpamException known
                        ? known.code().name()
                        : cause.getClass().getSimpleName(),
                message == null ? "" : message);
    }

    /** What really went wrong, without the wrappers that stages put around it. */
    public static Throwable cause(Throwable error) {
        Throwable at = error;
        while ((at instanceof CompletionException || at instanceof ExecutionException) && at.getCause() != null) {
            at = at.getCause();
        }
        return at;
    }
}
