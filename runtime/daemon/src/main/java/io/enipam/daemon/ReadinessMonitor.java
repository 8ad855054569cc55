package io.enipam.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.readiness.AddReadiness.Requirement;
import io.enipam.diagnostics.readiness.AddReadiness.Result;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.observability.web.Page.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports each change of {@link AddReadiness}: health at once, and events for what neither the engine nor the database
 * reports. Thread-safe; {@code this} guards all fields, so that the last report is the present state.
 */
final class ReadinessMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(ReadinessMonitor.class);

    /** The parts of {@code /readyz}. A node whose addresses are all allocated is still ready. */
    private static final List<Requirement> PARTS =
            List.of(Requirement.ENGINE, Requirement.DATABASE, Requirement.KERNEL, Requirement.ADDS);

    private static final List<Requirement> EXPLAINING =
            List.of(Requirement.ENGINE, Requirement.DATABASE, Requirement.KERNEL);

    private final AddReadiness adds;
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
    ReadinessMonitor(AddReadiness adds, Consumer<Boolean> health, EventSink events, Runnable explained) {
        this.adds = adds;
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
        Result result = adds.evaluate();
        if (EXPLAINING.stream().anyMatch(part -> result.of(part).isPresent())) {
            explained.run();
        }
        boolean ready = !stopped && result.broken().isEmpty();
        if (ready != told) {
            told = ready;
            health.accept(ready);
        }
        Optional<String> kernel = result.of(Requirement.KERNEL);
        if (kernel.isPresent() != kernelTold) {
            kernelTold = kernel.isPresent();
            kernel.ifPresentOrElse(
                    why -> events.error("KernelUnusable", "kernel", why + "; until then no pod starts on this node"),
                    () -> events.info("KernelUsable", "kernel", "pods can be connected again"));
        }
        Optional<String> failing = result.of(Requirement.ADDS);
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

    /** The present state of each part. */
    List<Checks.Part> parts() {
        Result result = adds.evaluate();
        List<Checks.Part> parts = new ArrayList<>();
        PARTS.forEach(part -> parts.add(new Checks.Part(part.name().toLowerCase(Locale.ROOT), result.of(part))));
        parts.add(new Checks.Part("shutdown", isStopped() ? Optional.of("the daemon stops") : Optional.empty()));
        return parts;
    }

    private synchronized boolean isStopped() {
        return stopped;
    }
}
