package io.enipam.shell.core;

import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What Ctrl-C ends: the command that runs, and with it whatever call it waits for; never the shell. Thread-safe. */
public final class Interrupts {
    private static final Duration LAST_LINES = Duration.ofSeconds(3);

    private final AtomicReference<@Nullable CancellableContext> running = new AtomicReference<>();

    /** Runs something that {@link #interrupt} can end. What runs within something else ends with that. */
    public <T> T guard(Callable<T> command) throws Exception {
        CancellableContext context = Context.current().withCancellation();
        boolean outermost = running.compareAndSet(null, context);
        try {
            return context.call(command);
        } finally {
            if (outermost) {
                running.set(null);
            }
            context.cancel(null);
        }
    }

    /** Waits in a command; whether it may go on, since it was not interrupted. */
    public static boolean pause(Duration span) {
        Context context = Context.current();
        CountDownLatch ended = new CountDownLatch(1);
        Context.CancellationListener listener = cancelled -> ended.countDown();
        context.addListener(listener, Runnable::run);
        try {
            return !ended.await(span.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            context.removeListener(listener);
        }
    }

    /**
     * Runs work that prints something at its end also when a signal ends the program: it is interrupted, as by Ctrl-C,
     * and the program, whose exit status is the signal's, waits for its end a short time.
     */
    public void untilEnded(Runnable work) {
        CountDownLatch ended = new CountDownLatch(1);
        Runnable end = () -> {
            interrupt();
            try {
                ended.await(LAST_LINES.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        Thread hook = new Thread(end, "enipam-last-lines");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            work.run();
        } finally {
            ended.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException exiting) {
                // the program ends already, and the hook with it
            }
        }
    }

    /** Makes threads of one name that do not keep the program from ending. */
    public static ThreadFactory daemonThreads(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Ends the command that runs; nothing happens if none does. */
    public void interrupt() {
        CancellableContext context = running.get();
        if (context != null) {
            context.cancel(null);
        }
    }
}
