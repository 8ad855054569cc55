package io.enipam.pluginhost.guard;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A plugin's health, from that of its parts. A part says at any moment what is wrong with it; a change of a part is followed by
 * {@link #update}. Changes of state are reported one at a time and in order, on the engine's threads, never on the thread that caused
 * them. A plugin is not reported as healthy again if the part that failed was put away: nothing shows that it works. Thread-safe;
 * {@code this} guards all fields.
 */
final class PluginHealthTracker {
    private static final Logger LOG = LoggerFactory.getLogger(PluginHealthTracker.class);

    private final TimeSource time;
    private final Scheduler engine;
    private final Consumer<PluginHealth> onChange;
    private final List<GuardedPart> parts = new CopyOnWriteArrayList<>();
    private final Queue<PluginHealth> untold = new ArrayDeque<>();
    private boolean telling;
    private PluginHealth last;
    /** The part that made the plugin degraded last. */
    private Optional<GuardedPart> ailing = Optional.empty();

    PluginHealthTracker(TimeSource time, Scheduler engine, Consumer<PluginHealth> onChange) {
        this.time = time;
        this.engine = engine;
        this.onChange = onChange;
        this.last = new PluginHealth(PluginHealth.State.HEALTHY, "", time.now());
    }

    /** One part more; those that are gone are forgotten. */
    void add(GuardedPart part) {
        parts.removeIf(GuardedPart::isRetired);
        parts.add(part);
    }

    int overdue() {
        return parts.stream().mapToInt(GuardedPart::overdue).sum();
    }

    BreakerState breaker() {
        return parts.stream()
                .map(GuardedPart::breaker)
                .max(BreakerState::compareTo)
                .orElse(BreakerState.CLOSED);
    }

    /** Something may have changed. */
    synchronized void update() {
        Optional<GuardedPart> troubled =
                parts.stream().filter(part -> part.trouble().isPresent()).findFirst();
        PluginHealth.State state = troubled.isPresent() ? PluginHealth.State.DEGRADED : PluginHealth.State.HEALTHY;
        if (state == last.state()) {
            return;
        }
        last = new PluginHealth(state, troubled.flatMap(GuardedPart::trouble).orElse(""), time.now());
        boolean putAway =
                troubled.isEmpty() && ailing.map(GuardedPart::isClosed).orElse(false);
        ailing = troubled;
        if (!putAway) {
            tellLater();
        }
    }

    private void tellLater() {
        untold.add(last);
        if (!telling) {
            telling = true;
            engine.execute(this::tell);
        }
    }

    synchronized PluginHealth now() {
        return last.state() == PluginHealth.State.HEALTHY
                ? last
                : new PluginHealth(last.state(), trouble().orElse(last.cause()), last.since());
    }

    private Optional<String> trouble() {
        return parts.stream().flatMap(part -> part.trouble().stream()).findFirst();
    }

    private void tell() {
        for (PluginHealth next = next(); next != null; next = next()) {
            try {
                onChange.accept(next);
            } catch (RuntimeException e) {
                LOG.error("a change of a plugin's health went untold; this is a bug of enipam", e);
            }
        }
    }

    private synchronized @Nullable PluginHealth next() {
        PluginHealth next = untold.poll();
        telling = next != null;
        return next;
    }

    /** One part of a plugin, as its health sees it: a policy, a factory, or all the rest. Thread-safe, and takes no lock. */
    interface GuardedPart {
        /** What is wrong now, one line; nothing if all is well. */
        Optional<String> trouble();

        /** How many calls are beyond their deadline and have not returned. */
        int overdue();

        BreakerState breaker();

        /** Whether it is used no more. */
        boolean isClosed();

        /** Whether it is used no more and has given everything back: then it is forgotten. */
        boolean isRetired();
    }
}
