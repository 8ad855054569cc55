package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Scheduler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Repeats a question to the outside until it is answered: each try has a deadline, and the pause after a failed one doubles from
 * half a second to 30 s.
 *
 * @param wanted false once the answer is not needed: then no further try is made, and no answer comes
 */
record RetryLoop(Scheduler scheduler, BooleanSupplier wanted) {
    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(500), Duration.ofSeconds(30));

    record Failure(String why, Duration pause) {
        /** When it is tried again, to be appended to a message. */
        String nextTry() {
            return "; next try in " + Backoff.text(pause);
        }
    }

    /** The same, as long as the answer is wanted by this condition, too. */
    RetryLoop asLongAs(BooleanSupplier also) {
        return new RetryLoop(scheduler, () -> wanted.getAsBoolean() && also.getAsBoolean());
    }

    /** @return never fails */
    <T> CompletableFuture<T> until(
            Supplier<? extends CompletionStage<T>> question, Duration patience, Consumer<Failure> failed) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        ask(question, patience, 1, failed, answer);
        return answer;
    }

    private <T> void ask(
            Supplier<? extends CompletionStage<T>> question,
            Duration patience,
            int attempt,
            Consumer<Failure> failed,
            CompletableFuture<T> answer) {
        Stages.ask(question, patience, scheduler).whenComplete((value, error) -> {
            if (!wanted.getAsBoolean()) {
                return;
            }
            if (error == null) {
                answer.complete(value);
                return;
            }
            Throwable cause = Stages.cause(error);
            Duration pause = BACKOFF.pause(attempt);
            failed.accept(new Failure(Objects.requireNonNullElse(cause.getMessage(), cause.toString()), pause));
            scheduler.after(pause, () -> {
                if (wanted.getAsBoolean()) {
                    ask(question, patience, attempt + 1, failed, answer);
                }
            });
        });
    }
}
