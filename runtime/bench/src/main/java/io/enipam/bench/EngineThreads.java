package io.enipam.bench;

import io.enipam.platform.EngineThread;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Lets JMH measure on the daemon's threads: named by {@code -Djmh.executor.class}, built by JMH. */
public final class EngineThreads extends ThreadPoolExecutor {
    public EngineThreads(int threads, String prefix) {
        super(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> new EngineThread(task, prefix + "-engine"));
    }
}
