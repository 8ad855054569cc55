package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginGuard.GuardContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The close of one part of a plugin: once, on a thread of its own, since the part's others may all be kept, and within a
 * deadline. Thread-safe.
 */
final class GuardedClose {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedClose.class);

    private final AutoCloseable part;
    private final PluginFailures failures;
    private final GuardContext context;
    private final Runnable ended;

    private GuardedClose(AutoCloseable part, PluginFailures failures, GuardContext context, Runnable ended) {
        this.part = part;
        this.failures = failures;
        this.context = context;
        this.ended = ended;
    }

    /** @param ended run once, when the part is closed or its deadline has passed, on a plugin's thread or the watchdog's */
    static void begin(AutoCloseable part, PluginFailures failures, GuardContext context, Runnable ended) {
        new GuardedClose(part, failures, context, ended).begin();
    }

    private void begin() {
        InFlightCall[] call = new InFlightCall[1];
        Thread thread = context.threads().newThread(() -> closeThere(call[0]));
        call[0] = new InFlightCall("close", context.time().nanoTime(), thread);
        var timer = context.watchdog().after(context.limits().factoryClose().toNanos(), () -> {
            if (call[0].claim()) {
                context.tally()
                        .late(
                                failures.name(),
                                "close did not return within "
                                        + context.limits().factoryClose());
                LOG.warn(
                        "plugin {}: close of {} has not returned for {}",
                        failures.pluginId(),
                        failures.name(),
                        context.limits().factoryClose());
                context.watchdog().settle(call[0]);
                ended.run();
            }
        });
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            timer.cancel(false);
            LOG.warn("plugin {}: no thread to close {} with", failures.pluginId(), failures.name(), e);
            ended.run();
        }
    }

    private void closeThere(InFlightCall call) {
        context.tally().made.increment();
        try {
            part.close();
        } catch (Throwable e) {
            context.tally().threw(failures.name(), "close", e);
            LOG.warn("plugin {}: close of {} threw {}", failures.pluginId(), failures.name(), PluginText.of(e));
        }
        if (call.finish()) {
            ended.run();
        }
    }
}
