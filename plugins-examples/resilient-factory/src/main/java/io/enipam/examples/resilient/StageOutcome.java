package io.enipam.examples.resilient;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Outcomes of stages, however an exception is wrapped. */
final class StageOutcome {
    private StageOutcome() {}

    /** Completes one like the other, without the wrapping that dependent stages put around exceptions. */
    static <T> void relay(CompletionStage<T> from, CompletableFuture<T> to) {
        from.whenComplete((value, problem) -> {
            if (problem == null) {
                to.complete(value);
            } else {
                to.completeExceptionally(unwrapped(problem));
            }
        });
    }

    /** What an exception of the wrapped factory means for one item. */
    static Failed failed(Throwable problem) {
        Throwable cause = unwrapped(problem);
        return cause instanceof FactoryException known
                ? Failed.of(known.kind(), String.valueOf(known.getMessage()))
                : Failed.of(ErrorKind.INTERNAL, "the wrapped factory failed: " + cause);
    }

    private static Throwable unwrapped(Throwable problem) {
        Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
        return cause == null ? problem : cause;
    }
}
