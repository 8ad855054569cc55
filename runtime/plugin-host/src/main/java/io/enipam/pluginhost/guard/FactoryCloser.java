package io.enipam.pluginhost.guard;

import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ResourceFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a guarded factory: closed once, on a thread of its own, and left behind if it does not end. Thread-safe. */
final class FactoryCloser {
    private static final Logger LOG = LoggerFactory.getLogger(FactoryCloser.class);

    private final ResourceFactory factory;
    private final FactoryFailures words;
    private final GuardLimits limits;
    private final PluginThreads threads;
    private final TimeSource time;
    private final Watchdog watchdog;
    private final ThreadPoolBulkhead lane;
    private final PluginCallCounters tally;
    private final CountDownLatch ended = new CountDownLatch(1);

    FactoryCloser(
            ResourceFactory factory,
            FactoryFailures words,
            GuardLimits limits,
            PluginThreads threads,
            TimeSource time,
            Watchdog watchdog,
            ThreadPoolBulkhead lane,
            PluginCallCounters tally) {
        this.factory = factory;
        this.words = words;
        this.limits = limits;
        this.threads = threads;
        this.time = time;
        this.watchdog = watchdog;
        this.lane = lane;
        this.tally = tally;
    }

    /** Waits for the end, within the deadline of a close and as long again. */
    void await() {
        try {
            ended.await(2 * limits.factoryClose().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void start() {
        InFlightCall[] call = new InFlightCall[1];
        Thread thread = threads.newThread(() -> closeThere(call[0]));
        call[0] = new InFlightCall("close", time.nanoTime(), thread);
        var timer = watchdog.after(limits.factoryClose().toNanos(), () -> {
            if (call[0].claim()) {
                tally.late.increment();
                LOG.warn(
                        "plugin {}: close of {} has not returned for {}",
                        words.pluginId(),
                        words.name(),
                        limits.factoryClose());
                watchdog.settle(call[0]);
                end();
            }
        });
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            timer.cancel(false);
            LOG.warn("plugin {}: no thread to close {} with", words.pluginId(), words.name(), e);
            end();
        }
    }

    private void closeThere(InFlightCall call) {
        tally.made.increment();
        try {
            factory.close();
        } catch (Throwable e) {
            tally.failed.increment();
            LOG.warn("plugin {}: close of {} threw {}", words.pluginId(), words.name(), PluginText.of(e));
        }
        if (call.finish()) {
            end();
        }
    }

    private void end() {
        lane.close();
        ended.countDown();
    }
}
