package io.enipam.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.readiness.Trouble.Cause;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.readiness.Troubles.Found;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.observability.web.Page.Checks;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports each change of {@link Troubles}: health at once, and events for what neither the engine nor the database
 * reports. Thread-safe; {@code this} guards all fields, so that the last report is the present state.
 */
final class ReadinessMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(ReadinessMonitor.class);

    /** The parts of {@code /readyz}. A node whose addresses are all allocated is still ready. */
    private static final List<Cause> PARTS =
            Stream.of(Cause.values()).filter(Cause::breaksNode).toList();

    private static final List<Cause> EXPLAINING = List.of(Cause.ENGINE, Cause.DATABASE, Cause.KERNEL);

    private final Troubles troubles;
    private final Consumer<Boolean> health;
    private final EventSink events;
    private final Runnable explained;

    @GuardedBy("this")
    private boolean stopped;

    @GuardedBy("this")
    private boolean told;

    @GuardedBy("this")
    private boolean kernelTold;

    @GuardedBy("this")
    private boolean addsTold;

    /**
     * @param health gets every change; not ready at first
     * @param explained run while engine, database or kernel keep ADDs from working: those ADDs do not count once that
     *     is over
     */
    ReadinessMonitor(Troubles troubles, Consumer<Boolean> health, EventSink events, Runnable explained) {
        this.troubles = troubles;
        this.health = health;
        this.events = events;
        this.explained = explained;
    }

    /** Starts to check: at every change of the database's state, and every two seconds. */
    void begin(Closer opened, ResourceDb db, ScheduledExecutorService timer) {
        opened.push("health", this::stop);
        db.watch(trouble -> update());
        timer.scheduleWithFixedDelay(this::update, 0, 2, TimeUnit.SECONDS);
    }

    /** Checks, and reports changes; called when something may have changed, and every few seconds. Never throws. */
    void update() {
        try {
            tell();
        } catch (RuntimeException e) {
            LOG.error("whether this node is ready could not be evaluated; this is a bug of enipam", e);
        }
    }

    private synchronized void tell() {
        Found result = troubles.find();
        if (EXPLAINING.stream().anyMatch(part -> result.of(part).isPresent())) {
            explained.run();
        }
        boolean ready = !stopped && result.broken().isEmpty();
        if (ready != told) {
            told = ready;
            health.accept(ready);
        }
        Optional<String> kernel = result.of(Cause.KERNEL).map(Trouble::text);
        if (kernel.isPresent() != kernelTold) {
            kernelTold = kernel.isPresent();
            kernel.ifPresentOrElse(
                    why -> events.error("KernelUnusable", "kernel", why + "; until then no pod starts on this node"),
                    () -> events.info("KernelUsable", "kernel", "pods can be connected again"));
        }
        Optional<String> failing = result.of(Cause.ADDS).map(Trouble::text);
        if (failing.isPresent() != addsTold) {
            addsTold = failing.isPresent();
            failing.ifPresentOrElse(
                    why -> events.error("AddsFailing", "node", why),
                    () -> events.info(
                            "AddsTried",
                            "node",
                            "ADDs work again, none has failed for minutes, or another fault explains why they fail"));
        }
    }

    /** Permanently not ready from now on. */
    synchronized void stop() {
        stopped = true;
        update();
    }

    /** The present state of each part, and what else is wrong, which makes no node unready. */
    List<Checks.Part> parts() {
        Troubles.Found now = troubles.find();
        List<Checks.Part> parts = new ArrayList<>();
        for (Cause cause : PARTS) {
            parts.add(new Checks.Part(name(cause), now.of(cause).map(ReadinessMonitor::words)));
        }
        parts.add(new Checks.Part("shutdown", isStopped() ? Optional.of("the daemon stops") : Optional.empty()));
        now.troubles().stream()
                .filter(one -> !one.cause().breaksNode())
                .forEach(one -> parts.add(Checks.Part.remark(name(one.cause()), words(one))));
        return parts;
    }

    private static String name(Cause cause) {
        return cause.name().toLowerCase(Locale.ROOT);
    }

    private static String words(Trouble trouble) {
        return trouble.text() + ", since " + trouble.since().truncatedTo(ChronoUnit.SECONDS);
    }

    private synchronized boolean isStopped() {
        return stopped;
    }
}
