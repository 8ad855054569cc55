package io.enipam.aliyun;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that wait for the cloud: a bounded number, daemons, named {@code aliyun-N}. Thread-safe. */
final class CloudCallExecutor implements Executor, AutoCloseable {
    /** More than an instance has ENIs: a call that waits out a throttled minute must not hold up those of other APIs. */
    private static final int MOST = 64;

    private final ThreadPoolExecutor pool;

    CloudCallExecutor() {
        AtomicInteger next = new AtomicInteger();
        ThreadFactory threads = task -> {
            Thread thread = new Thread(task, "aliyun-" + next.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        // The queue needs no bound: each ENI has one call out at most, and there are a few dozen ENIs.
        pool = new ThreadPoolExecutor(MOST, MOST, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable call) {
        pool.execute(call);
    }

    /** Takes no more calls. Those that are out end by their timeouts, and their outcome is dropped. */
    @Override
    public void close() {
        pool.shutdownNow();
    }
}
