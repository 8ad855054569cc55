package io.enipam.engine;

import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.pool.Roster;
import io.enipam.engine.port.NamedFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What the engine does again and again as long as it serves, and when it does so next. Thread-safe. */
final class Rounds {
    private final EngineConfig config;
    private final EnginePorts ports;
    private final PolicyGuard policy;
    private final Roster roster;
    private final ResourcePool pool;
    private final Provisioner provisioner;
    private final Runnable tidy;
    private final BooleanSupplier serves;
    private volatile Optional<Instant> nextGc = Optional.empty();
    private volatile Optional<Instant> nextReconcile = Optional.empty();
    private volatile Optional<Instant> nextCheck = Optional.empty();

    /**
     * @param tidy what else a look at the pool sees to
     * @param serves whether the engine serves: else nothing is done any more
     */
    Rounds(
            EngineConfig config,
            EnginePorts ports,
            PolicyGuard policy,
            Roster roster,
            ResourcePool pool,
            Provisioner provisioner,
            Runnable tidy,
            BooleanSupplier serves) {
        this.config = config;
        this.ports = ports;
        this.policy = policy;
        this.roster = roster;
        this.pool = pool;
        this.provisioner = provisioner;
        this.tidy = tidy;
        this.serves = serves;
    }

    /** When the garbage collection runs next. */
    Optional<Instant> nextGc() {
        return nextGc;
    }

    /** When the pool is compared with the cloud next. */
    Optional<Instant> nextReconcile() {
        return nextReconcile;
    }

    /** When the pool is looked at next. */
    Optional<Instant> nextCheck() {
        return nextCheck;
    }

    /**
     * Begins all of them.
     *
     * @param collect runs the garbage collection
     * @param reconcile compares the pool with the cloud
     */
    void begin(Runnable collect, Runnable reconcile) {
        every(config::gcInterval, collect, at -> nextGc = Optional.of(at));
        every(() -> provisioner.spread(config.reconcileInterval()), reconcile, at -> nextReconcile = Optional.of(at));
        IdleReclaim rule = config.reclaim();
        if (rule.on()) {
            every(() -> provisioner.spread(rule.interval(), rule.jitter()), () -> reclaim(rule), at -> {});
        }
        every(
                config::poolCheckInterval,
                () -> {
                    askCapacity();
                    provisioner.look();
                    tidy.run();
                },
                at -> nextCheck = Optional.of(at));
    }

    /** @param due told when the task runs next */
    private void every(Supplier<Duration> interval, Runnable task, Consumer<Instant> due) {
        Duration pause = interval.get();
        due.accept(ports.time().now().plus(pause));
        ports.scheduler().after(pause, () -> {
            if (serves.getAsBoolean()) {
                // first, so that a task that throws is missed once and not for ever
                every(interval, task, due);
                task.run();
            }
        });
    }

    /** What to keep idle is the policy's to say; the rule is part of the built-in one. */
    private void reclaim(IdleReclaim rule) {
        int leaving = policy.builtIn() ? pool.supply().reclaim(rule.after(), rule.batch()) : 0;
        if (leaving > 0) {
            ports.events()
                    .info(
                            "IdleReclaimed",
                            "pool",
                            leaving + " addresses go back: nobody has asked for them in "
                                    + rule.after().toSeconds() + " s");
        }
    }

    /** How much the active factory can have may change. */
    void askCapacity() {
        NamedFactory active = roster.active();
        try {
            pool.supply()
                    .capacity(active.name(), active.factory().capabilities().capacity());
        } catch (RuntimeException | LinkageError e) {
            ports.events()
                    .warning(
                            "CapacityUnknown",
                            active.name(),
                            "factory " + active.name() + " does not say what it can: " + e);
        }
    }
}
