package io.enipam.daemon.plugin.guard;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What the end of a call means to the breaker of its part, and to whoever waits for it.
 *
 * @param failed told why the call gave nothing, unless it is late: then its items stay open
 */
record Outcomes<T>(PartGuard part, String what, Consumer<Throwable> failed) implements PluginThreads.Outcome<T> {
    @Override
    public void returned(T value) {
        part.succeeded();
    }

    @Override
    public void failed(Throwable thrown) {
        part.failed("'" + what + "' failed: " + Words.of(thrown));
        failed.accept(thrown);
    }

    @Override
    public void late(PluginException why, Thread thread) {
        part.late(what, thread);
    }

    @Override
    public void cameBack(Optional<Throwable> thrown) {
        part.cameBack();
        thrown.ifPresent(failed);
    }

    /** An outcome that is a future's alone. */
    static <T> PluginThreads.Outcome<T> into(CompletableFuture<T> future) {
        return new PluginThreads.Outcome<>() {
            @Override
            public void returned(T value) {
                future.complete(value);
            }

            @Override
            public void failed(Throwable thrown) {
                future.completeExceptionally(thrown);
            }

            @Override
            public void late(PluginException why, Thread thread) {
                future.completeExceptionally(why);
            }

            @Override
            public void cameBack(Optional<Throwable> thrown) {}
        };
    }
}
