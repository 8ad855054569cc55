package io.enipam.daemon.platform;

import io.enipam.engine.port.Scheduler;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's threads: a few daemon threads for tasks that do not block. A task that throws is logged, and the others go
 * on. After {@link #close()} new tasks are dropped: the engine has stopped by then.
 */
public final class ExecutorScheduler implements Scheduler, Executor, StuckThreads, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorScheduler.class);
    private static final int THREADS = 2;

    private final ScheduledThreadPoolExecutor pool;
    private final Set<Thread> own = Collections.newSetFromMap(new WeakHashMap<>());
    private int stuck;

    public ExecutorScheduler() {
        AtomicInteger count = new AtomicInteger();
        pool = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new EngineThread(task, "engine-" + count.incrementAndGet());
            synchronized (this) {
                own.add(thread);
            }
            return thread;
        });
        pool.setRemoveOnCancelPolicy(true);
        pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable task) {
        submit(Duration.ZERO, task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        return submit(delay, task);
    }

    @Override
    public synchronized void stuck(Thread thread) {
        if (own.contains(thread)) {
            stuck++;
            pool.setCorePoolSize(THREADS + stuck);
        }
    }

    @Override
    public synchronized void returned(Thread thread) {
        if (own.contains(thread)) {
            stuck--;
            pool.setCorePoolSize(THREADS + stuck);
        }
    }

    private Cancellable submit(Duration delay, Runnable task) {
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
    public void close() {
        pool.shutdownNow();
    }
}
