package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Asks somebody outside until he answers: each try has its time, and the pause after one that failed doubles from half a
 * second to thirty.
 */
final class RetryLoop {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(30);

    private final Scheduler scheduler;
    private final BooleanSupplier wanted;

    /** @param wanted false once nobody needs the answer: then no further try is made, and no answer comes */
    RetryLoop(Scheduler scheduler, BooleanSupplier wanted) {
        this.scheduler = scheduler;
        this.wanted = wanted;
    }

    /**
     * A try that failed.
     *
     * @param why in words
     * @param pause how long until the next one
     */
    record Failure(String why, Duration pause) {}

    /** The same, as long as somebody else wants the answer, too. */
    RetryLoop asLongAs(BooleanSupplier also) {
        return new RetryLoop(scheduler, () -> wanted.getAsBoolean() && also.getAsBoolean());
    }

    /** @return never fails */
    <T> CompletableFuture<T> until(
            Supplier<? extends CompletionStage<T>> question, Duration patience, Consumer<Failure> failed) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        ask(question, patience, FIRST_PAUSE, failed, answer);
        return answer;
    }

    private <T> void ask(
            Supplier<? extends CompletionStage<T>> question,
            Duration patience,
            Duration pause,
            Consumer<Failure> failed,
            CompletableFuture<T> answer) {
        Stages.within(
                        Stages.call(question),
                        patience,
                        scheduler,
                        () -> new IllegalStateException("no answer within " + patience.toSeconds() + " s"))
                .whenComplete((value, error) -> {
                    if (!wanted.getAsBoolean()) {
                        return;
                    }
                    if (error == null) {
                        answer.complete(value);
                        return;
                    }
                    String message = Stages.cause(error).getMessage();
                    failed.accept(
                            new Failure(message == null ? Stages.cause(error).toString() : message, pause));
                    Duration doubled = pause.multipliedBy(2);
                    Duration next = doubled.compareTo(LAST_PAUSE) < 0 ? doubled : LAST_PAUSE;
                    scheduler.after(pause, () -> {
                        if (wanted.getAsBoolean()) {
                            ask(question, patience, next, failed, answer);
                        }
                    });
                });
    }
}
