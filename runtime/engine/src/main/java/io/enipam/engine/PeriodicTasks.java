package io.enipam.engine;

import io.enipam.engine.EngineConfig.IdleReclaim;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.FactoryRegistry;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What the engine does again and again as long as it serves, and when it does so next. Thread-safe. */
final class PeriodicTasks {
    private static final Duration FIRST_EARLY = Duration.ofSeconds(1);
    private static final Backoff NEXT_EARLY = Backoff.doubling(Duration.ofSeconds(5), Duration.ofSeconds(30));

    private final Supplier<EngineConfig> config;
    private final EngineContext engine;
    private final FactoryRegistry registry;
    private final ResourcePool pool;
    private final Provisioner provisioner;
    private final Runnable tidy;
    private final BooleanSupplier serves;
    private final PeriodicTask gc;
    private final PeriodicTask reconcile;
    private final PeriodicTask reclaim;
    private final PeriodicTask check;
    private final EarlyReconcile early = new EarlyReconcile();
    /** Guarded by {@code this}. */
    private Optional<Scheduler.Cancellable> overrideEnd = Optional.empty();

    /**
     * @param tidy what else a look at the pool sees to
     * @param serves whether the engine serves: else nothing is done any more
     */
    PeriodicTasks(
            Supplier<EngineConfig> config,
            EngineContext engine,
            FactoryRegistry registry,
            ResourcePool pool,
            Provisioner provisioner,
            Runnable tidy,
            BooleanSupplier serves) {
        this.config = config;
        this.engine = engine;
        this.registry = registry;
        this.pool = pool;
        this.provisioner = provisioner;
        this.tidy = tidy;
        this.serves = serves;
        this.gc = new PeriodicTask(() -> Optional.of(config.get().intervals().gc()), gap -> gap);
        this.reconcile =
                new PeriodicTask(() -> Optional.of(config.get().intervals().reconcile()), provisioner::jitter);
        this.reclaim = new PeriodicTask(
                () -> Optional.of(config.get().reclaim())
                        .filter(IdleReclaim::on)
                        .map(IdleReclaim::interval),
                gap -> provisioner.jitter(gap, config.get().reclaim().jitter()));
        this.check = new PeriodicTask(() -> Optional.of(config.get().intervals().poolCheck()), gap -> gap);
    }

    PendingWork.NextRuns next() {
        return new PendingWork.NextRuns(gc.due(), reconcile.due(), check.due());
    }

    void begin(Runnable collectGarbage, Supplier<CompletionStage<ReconcileReport>> compare) {
        gc.begin(collectGarbage);
        early.begin(compare);
        reconcile.begin(() -> compareNow(compare));
        reclaim.begin(() -> reclaim(config.get().reclaim()));
        check.begin(() -> {
            askCapacity();
            provisioner.evaluate();
            tidy.run();
        });
    }

    /** A pool that still wants a comparison says so when it is looked at afterwards. */
    private void compareNow(Supplier<CompletionStage<ReconcileReport>> comparison) {
        Stages.call(comparison).whenComplete((done, error) -> provisioner.evaluate());
    }

    /** Compares the pool with the cloud before the next round does. Cheap; may be called as often as one likes. */
    void reconcileSoon() {
        early.due();
    }

    /** The settings are others: a round whose interval is another one begins anew, one that has none any more ends. */
    void changed() {
        List.of(gc, reconcile, reclaim, check).forEach(PeriodicTask::changed);
    }

    /** One thing that is done again and again. {@code this} guards all fields. */
    private final class PeriodicTask {
        private final Supplier<Optional<Duration>> interval;
        private final UnaryOperator<Duration> spread;
        private Optional<Runnable> task = Optional.empty();
        private Optional<Duration> underWay = Optional.empty();
        private Optional<Instant> due = Optional.empty();
        private Optional<Scheduler.Cancellable> timer = Optional.empty();
        /** Identifies the run, since a cancelled timer may still fire. */
        private Object running = new Object();

        /**
         * @param interval at the moment; empty for not at all
         * @param spread of one interval, so that not all nodes do it in one second
         */
        PeriodicTask(Supplier<Optional<Duration>> interval, UnaryOperator<Duration> spread) {
            this.interval = interval;
            this.spread = spread;
        }

        synchronized Optional<Instant> due() {
            return due;
        }

        synchronized void begin(Runnable what) {
            task = Optional.of(what);
            arm();
        }

        synchronized void changed() {
            if (task.isPresent() && !interval.get().equals(underWay)) {
                arm();
            }
        }

        private synchronized void arm() {
            timer.ifPresent(Scheduler.Cancellable::cancel);
            underWay = interval.get();
            Optional<Duration> pause = underWay.map(spread);
            due = pause.map(engine.time().now()::plus);
            timer = pause.map(gap -> {
                Object turn = new Object();
                running = turn;
                return engine.scheduler().after(gap, () -> run(turn));
            });
        }

        private void run(Object turn) {
            if (!serves.getAsBoolean()) {
                return;
            }
            Optional<Runnable> now;
            synchronized (this) {
                if (running != turn) {
                    return;
                }
                // first, so that a task that throws is missed once and not for ever
                arm();
                now = task;
            }
            now.ifPresent(Runnable::run);
        }
    }

    /**
     * Comparisons between two rounds. The first comes after a second; while the pool goes on asking, the pauses grow to
     * half a minute, since each comparison costs calls of the cloud. {@code this} guards all fields.
     */
    private final class EarlyReconcile {
        private Optional<Supplier<CompletionStage<ReconcileReport>>> compare = Optional.empty();
        private boolean planned;
        private int inRow;
        private long last;

        synchronized void begin(Supplier<CompletionStage<ReconcileReport>> comparison) {
            compare = Optional.of(comparison);
        }

        synchronized void due() {
            if (planned || compare.isEmpty()) {
                return;
            }
            Duration since = Duration.ofNanos(engine.time().nanoTime() - last);
            inRow = since.compareTo(config.get().intervals().reconcile()) > 0 ? 0 : inRow;
            Duration pause = FIRST_EARLY;
            if (inRow > 0) {
                Duration left = provisioner.jitter(NEXT_EARLY.pause(inRow)).minus(since);
                pause = left.compareTo(FIRST_EARLY) > 0 ? left : FIRST_EARLY;
            }
            planned = true;
            engine.scheduler().after(pause, this::run);
        }

        private void run() {
            Supplier<CompletionStage<ReconcileReport>> comparison;
            synchronized (this) {
                planned = false;
                inRow++;
                last = engine.time().nanoTime();
                comparison = compare.orElseThrow();
            }
            if (serves.getAsBoolean()) {
                compareNow(comparison);
            }
        }
    }

    private void reclaim(IdleReclaim rule) {
        int leaving = pool.membership().reclaim(rule.after(), rule.batch());
        if (leaving > 0) {
            String what = leaving + " addresses go back: no pod has needed them for "
                    + rule.after().toSeconds() + " s";
            engine.events().info("IdleReclaimed", "pool", what);
        }
    }

    /** When a capacity override ends, the pool is checked. The one in force is asked under the lock. */
    synchronized void overrideChanged() {
        overrideEnd.ifPresent(Scheduler.Cancellable::cancel);
        CapacityOverride inForce = pool.membership().capacityOverride();
        Duration left = inForce.left(engine.time().now()).plusMillis(1);
        overrideEnd = inForce.until().map(until -> engine.scheduler().after(left, provisioner::evaluate));
    }

    /** How much the active factory can have may change. */
    void askCapacity() {
        NamedFactory active = registry.active();
        try {
            int capacity = active.factory().capabilities().capacity();
            pool.membership().capacity(active.name(), capacity);
        } catch (RuntimeException | LinkageError e) {
            String what = "factory " + active.name() + " does not say what it can: " + e;
            engine.events().warning("CapacityUnknown", active.name(), what);
        }
    }
}
