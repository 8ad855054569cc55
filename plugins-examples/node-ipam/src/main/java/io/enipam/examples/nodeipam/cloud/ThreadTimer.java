package io.enipam.examples.nodeipam.cloud;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A timer with a thread of its own, which ends when it is closed. */
final class ThreadTimer implements Aliases.Timer {
    static final String THREAD = "node-ipam-aliases";

    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
        Thread made = new Thread(task, THREAD);
        made.setDaemon(true);
        return made;
    });

    private Optional<ScheduledFuture<?>> waiting = Optional.empty(); // by this

    ThreadTimer() {
        executor.setRemoveOnCancelPolicy(true);
    }

    @Override
    public synchronized void set(Duration pause, Runnable task) {
        waiting.ifPresent(former -> former.cancel(false));
        if (!executor.isShutdown()) {
            waiting = Optional.of(executor.schedule(task, pause.toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    @Override
    public synchronized void close() {
        executor.shutdownNow();
    }
}
