package io.enipam.platform;

import io.enipam.engine.port.Scheduler;
import io.enipam.platform.EngineThread.StuckThreadListener;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's threads: a few daemon threads for tasks that do not block. An exception of a task is logged and does not
 * affect others. After {@link #close()} new tasks are dropped, since the engine has stopped by then.
 *
 * <p>While a plugin keeps one of the threads, one more is started, so that the engine always has its configured number.
 */
public final class ExecutorScheduler implements Scheduler, Executor, StuckThreadListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorScheduler.class);
    private static final int THREADS = 2;

    private final ScheduledThreadPoolExecutor pool;
    /** Guarded by itself, as are changes of the pool's size. */
    private final Set<Thread> stuck = new HashSet<>();

    public ExecutorScheduler() {
        AtomicInteger count = new AtomicInteger();
        pool = new ScheduledThreadPoolExecutor(
                THREADS, task -> new EngineThread(task, "engine-" + count.incrementAndGet()));
        pool.setRemoveOnCancelPolicy(true);
        pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable task) {
        after(Duration.ZERO, task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        try {
            Future<?> future = pool.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException e) {
            LOG.debug("a task came after the end and is dropped", e);
            return () -> {};
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a task failed; this is a bug of enipam", e);
        }
    }

    @Override
    public void stuck(Thread thread) {
        synchronized (stuck) {
            stuck.add(thread);
            pool.setCorePoolSize(THREADS + stuck.size());
        }
    }

    @Override
    public void returned(Thread thread) {
        synchronized (stuck) {
            stuck.remove(thread);
            pool.setCorePoolSize(THREADS + stuck.size());
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
