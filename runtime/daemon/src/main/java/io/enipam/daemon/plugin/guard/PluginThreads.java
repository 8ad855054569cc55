package io.enipam.daemon.plugin.guard;

import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads on which a plugin's slow code runs: a few, with a bounded queue, each call watched. A call that hangs keeps its
 * thread; when all are held, further calls are refused at once. Thread-safe.
 */
final class PluginThreads implements AutoCloseable {
    private static final int QUEUE = 256;
    private static final Duration LOOK = Duration.ofMillis(50);

    private final String pluginId;
    private final ClassLoader loader;
    private final TimeSource time;
    private final Tally tally;
    private final int most;
    private final Watchdog watchdog;
    private final AtomicInteger held = new AtomicInteger();
    private final ThreadPoolExecutor pool;

    PluginThreads(String pluginId, ClassLoader loader, GuardLimits limits, TimeSource time, Tally tally) {
        this.pluginId = pluginId;
        this.loader = loader;
        this.time = time;
        this.tally = tally;
        this.most = limits.concurrent();
        this.watchdog = new Watchdog(time, most, LOOK);
        AtomicInteger count = new AtomicInteger();
        this.pool = new ThreadPoolExecutor(
                most,
                most,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(QUEUE),
                task -> new PluginThread(task, pluginId, count.incrementAndGet(), loader));
        pool.allowCoreThreadTimeOut(true);
    }

    /** A thread that the daemon gives a plugin. */
    static final class PluginThread extends Thread {
        private final String pluginId;

        PluginThread(Runnable task, String pluginId, int number, ClassLoader loader) {
            super(task, "plugin-" + pluginId + "-" + number);
            this.pluginId = pluginId;
            setDaemon(true);
            setContextClassLoader(loader);
        }

        String pluginId() {
            return pluginId;
        }
    }

    /**
     * A call to make.
     *
     * @param what for people
     * @param deadline counted from when it begins to run
     */
    record Task<T>(String what, Duration deadline, Callable<T> work) {}

    /** How a call ended. Either it was not late, and one of the first two is called; or the last two are. */
    interface Outcome<T> {
        /** It came back in time; on the plugin's thread. */
        void returned(T value);

        /** It threw in time, or could not be begun. */
        void failed(Throwable thrown);

        /** Its time is over; on the watchdog's thread, and must not block. */
        void late(PluginException why, Thread thread);

        /**
         * One that was late is back. What it answered was told to nobody.
         *
         * @param thrown what it threw, if it did: then nothing of it is under way any more
         */
        void cameBack(Optional<Throwable> thrown);
    }

    /** Makes a call, on one of the threads. Never blocks, never throws. */
    <T> void run(Task<T> task, Outcome<T> outcome) {
        if (held.get() >= most) {
            refuse(task, outcome);
            return;
        }
        try {
            pool.execute(new Call<>(this, task, outcome));
            if (held.get() >= most) {
                refuseWaiting();
            }
        } catch (RejectedExecutionException e) {
            tally.skipped.increment();
            outcome.failed(new PluginException(
                    ErrorKind.UNAVAILABLE,
                    task.what() + ": plugin " + pluginId
                            + (pool.isShutdown() ? " is closed" : " has " + QUEUE + " calls waiting already"),
                    e));
        }
    }

    /** A call that waits for a thread. */
    private record Call<T>(PluginThreads threads, Task<T> task, Outcome<T> outcome) implements Runnable {
        @Override
        public void run() {
            threads.runNow(task, outcome);
        }

        void refuse() {
            threads.refuse(task, outcome);
        }
    }

    private <T> void refuse(Task<T> task, Outcome<T> outcome) {
        tally.skipped.increment();
        outcome.failed(new PluginException(
                ErrorKind.UNAVAILABLE,
                task.what() + ": plugin " + pluginId + " is not called, since all its " + most
                        + " threads hang in earlier calls"));
    }

    /** All threads hang, perhaps for ever: who waits for one is told now. */
    private void refuseWaiting() {
        for (Runnable waiting : List.copyOf(pool.getQueue())) {
            if (waiting instanceof Call<?> call && pool.remove(call)) {
                call.refuse();
            }
        }
    }

    /** Runs something on one of the threads that watches over itself. */
    void execute(Runnable task) {
        pool.execute(task);
    }

    private <T> void runNow(Task<T> task, Outcome<T> outcome) {
        tally.made.increment();
        Thread self = Thread.currentThread();
        WatchedCall call =
                new WatchedCall(task.what(), time.nanoTime(), task.deadline().toNanos(), () -> {
                    tally.late.increment();
                    tally.overdue.incrementAndGet();
                    boolean none = held.incrementAndGet() >= most;
                    outcome.late(
                            new PluginException(
                                    ErrorKind.DEADLINE_EXCEEDED,
                                    task.what() + ": plugin " + pluginId + " gave no answer within "
                                            + task.deadline().toMillis() + " ms"),
                            self);
                    if (none) {
                        refuseWaiting();
                    }
                });
        // there are as many places as threads, so there is one
        int place = watchdog.enter(call);
        T value = null;
        Throwable thrown = null;
        try {
            value = task.work().call();
        } catch (Throwable e) {
            thrown = e;
        }
        boolean inTime = call.answered();
        watchdog.leave(place);
        self.setContextClassLoader(loader);
        if (!inTime) {
            held.decrementAndGet();
            tally.overdue.decrementAndGet();
            outcome.cameBack(Optional.ofNullable(thrown));
        } else if (thrown != null) {
            if (!(thrown instanceof FactoryException)) {
                // a coded refusal is an answer
                tally.failed.increment();
            }
            outcome.failed(thrown);
        } else {
            outcome.returned(value);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
