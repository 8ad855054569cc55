package io.enipam.pluginhost.guard;

import io.enipam.engine.concurrent.DaemonThreads;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A plugin's clock hand: one thread that sees deadlines pass while all of the engine's threads may be stuck in the plugin. It
 * exists while there is something to watch. Interrupting a thread can run the plugin's code (a channel of its own making), so
 * the hand never does that itself. Thread-safe.
 */
final class Watchdog {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
    private static final long KEEP_SECONDS = 10;

    private final String pluginId;
    private final ScheduledThreadPoolExecutor hand;

    Watchdog(String pluginId) {
        this.pluginId = pluginId;
        hand = new ScheduledThreadPoolExecutor(1, task -> thread(task, "watch"));
        hand.setRemoveOnCancelPolicy(true);
        hand.setKeepAliveTime(KEEP_SECONDS, TimeUnit.SECONDS);
        hand.allowCoreThreadTimeOut(true);
    }

    /** Runs a short task of the guard's after a delay. */
    Future<?> after(long nanos, Runnable task) {
        return hand.schedule(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException | Error e) {
                        LOG.error("the watchdog of plugin {} failed; this is a bug of enipam", pluginId, e);
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    /** Interrupts a claimed call's thread, soon. */
    void settle(InFlightCall call) {
        if (call.thread() == null) {
            call.settle();
            return;
        }
        try {
            thread(call::settle, "interrupt").start();
        } catch (OutOfMemoryError e) {
            LOG.warn("no thread to interrupt {} of plugin {} with", call.what(), pluginId, e);
            call.settle();
        }
    }

    private Thread thread(Runnable task, String role) {
        return DaemonThreads.named("guard-" + pluginId + "-" + role).newThread(task);
    }
}
