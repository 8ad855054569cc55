package io.enipam.engine.concurrent;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

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

    private static Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        // otherwise it inherits that of the thread that happens to start it, which may be a plugin's
        thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
        return thread;
    }
}
