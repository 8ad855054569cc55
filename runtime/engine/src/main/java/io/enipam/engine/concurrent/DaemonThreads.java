package io.enipam.engine.concurrent;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Makes threads that do not keep the process from ending. Thread-safe. */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** All threads have the same name. */
    public static ThreadFactory named(String name) {
        return task -> thread(task, name);
    }

    /** The threads are counted: {@code NAME-1}, {@code NAME-2}. */
    public static ThreadFactory numbered(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> thread(task, name + "-" + number.incrementAndGet());
    }

    /** Runs each task on a thread of its own, all of the same name: for work that is rare, and may block. */
    public static Executor each(String name) {
        return task -> thread(task, name).start();
    }

    /**
     * A task that is repeated with a fixed delay goes on after one run of it failed, for lack of memory as well: the JDK would run it no
     * more, and say nothing.
     *
     * @param most the most threads at a time, all of the same name
     * @param failed gets what a run threw
     */
    public static ScheduledExecutorService repeating(int most, String name, Consumer<Throwable> failed) {
        return new ScheduledThreadPoolExecutor(most, named(name)) {
            @Override
            public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
                return super.scheduleWithFixedDelay(() -> run(task, failed), first, pause, unit);
            }
        };
    }

    private static void run(Runnable task, Consumer<Throwable> failed) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            failed.accept(e);
        }
    }

    private static Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        // otherwise it inherits that of the thread that happens to start it, which may be a plugin's
        thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
        return thread;
    }
}
