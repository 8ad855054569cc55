package io.enipam.examples.prefix;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** The one thread of a factory. After {@link #close} it does what it was given before, and nothing else. Thread-safe. */
final class OwnThread implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "prefix-factory");
        made.setDaemon(true);
        return made;
    });

    /** @param closed runs in place of the work after a close, on another thread */
    void run(Runnable work, Runnable closed) {
        try {
            thread.execute(work);
        } catch (RejectedExecutionException e) {
            closed.run();
        }
    }

    /** Goes on with what a call of the cloud has come to, which fails by its outcome alone. */
    <T> void then(CompletionStage<T> stage, Consumer<T> next, Runnable closed) {
        then(
                stage,
                next,
                failure -> {
                    throw new IllegalStateException("a call of the cloud fails by its outcome", failure);
                },
                closed);
    }

    /** Goes on with a result, or with a failure. */
    <T> void then(CompletionStage<T> stage, Consumer<T> next, Consumer<Throwable> otherwise, Runnable closed) {
        stage.whenComplete((value, failure) -> run(
                () -> {
                    if (failure == null) {
                        next.accept(value);
                    } else {
                        otherwise.accept(failure);
                    }
                },
                closed));
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
