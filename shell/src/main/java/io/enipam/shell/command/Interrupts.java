package io.enipam.shell.command;

import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What Ctrl-C ends: the command that runs, and with it whatever call it waits for; never the shell. Thread-safe. */
public final class Interrupts {
    private final AtomicReference<@Nullable CancellableContext> running = new AtomicReference<>();

    /** Runs something that {@link #interrupt} can end. */
    <T> T guard(Callable<T> command) throws Exception {
        CancellableContext context = Context.current().withCancellation();
        running.set(context);
        try {
            return context.call(command);
        } finally {
            running.set(null);
            context.cancel(null);
        }
    }

    /** Ends the command that runs; nothing happens if none does. */
    public void interrupt() {
        CancellableContext context = running.get();
        if (context != null) {
            context.cancel(null);
        }
    }
}
