package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.CREATING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.pool.Slot.SlotCopy;
import io.enipam.sdk.Activity;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceView;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the pool is at one moment, for policies and for operators. Slots keep {@code nanoTime}, which becomes a date by the
 * distance from now. Thread-safe.
 *
 * <p>A view of all slots is an {@link InventoryCopy}, which takes the pool's lock for a few microseconds at a time; it is
 * sorted and converted without any lock. {@code turn} admits one copy at a time, and is taken before the pool's lock and
 * never under it.
 */
final class PoolInspector {
    /** A snapshot of a pool without changes is made anew after a while, since the times in it grow old. */
    private static final long FRESH = Duration.ofSeconds(10).toNanos();

    /** Idle first, longest idle ahead, the rest by id. */
    private static final Comparator<SlotCopy> ORDER = (one, other) -> {
        boolean idle = one.state() == IDLE;
        if (idle != (other.state() == IDLE)) {
            return idle ? -1 : 1;
        }
        return idle
                ? Long.compare(one.sequence(), other.sequence())
                : one.resource().id().compareTo(other.resource().id());
    };

    private final PoolCore core;
    private final ReentrantLock turn = new ReentrantLock();
    /** Guarded by the pool's lock, as the two that follow. */
    private @Nullable NumberedSnapshot cached;

    private long cachedVersion;
    private long cachedAt;

    private volatile Duration longestHold = Duration.ZERO;

    PoolInspector(PoolCore core) {
        this.core = core;
    }

    PoolSummary summary() {
        return core.locked(this::counted);
    }

    private PoolSummary counted() {
        return new PoolSummary(
                core.factories.kind.name(),
                core.policy.name(),
                new Watermarks(core.settings.minIdle(), core.settings.maxIdle(), core.capacity()),
                core.queue.size(),
                core.inventory.leased(),
                core.inventory.counts());
    }

    PoolView view() {
        turn.lock();
        Moment moment;
        try {
            moment = copied();
        } finally {
            turn.unlock();
        }
        return moment.view();
    }

    /** @param admitted how many callers were admitted at the snapshot's moment */
    record NumberedSnapshot(PoolSnapshot snapshot, long admitted) {}

    PoolSnapshot snapshot() {
        return numbered().snapshot();
    }

    NumberedSnapshot numbered() {
        NumberedSnapshot known = core.locked(this::fresh);
        if (known != null) {
            return known;
        }
        turn.lock();
        try {
            known = core.locked(this::fresh);
            return known == null ? remembered(copied()) : known;
        } finally {
            turn.unlock();
        }
    }

    private @Nullable NumberedSnapshot fresh() {
        boolean stale = cachedVersion != core.inventory.version() || core.time.nanoTime() - cachedAt >= FRESH;
        return stale ? null : cached;
    }

    private NumberedSnapshot remembered(Moment moment) {
        NumberedSnapshot snapshot = new NumberedSnapshot(moment.snapshot(), moment.admitted);
        return core.locked(() -> {
            cached = snapshot;
            cachedAt = moment.nanos;
            cachedVersion = moment.version;
            return snapshot;
        });
    }

    /** The waiters, next first. */
    List<WaiterView> queue() {
        return core.locked(() -> {
            Instant now = core.time.now();
            long nanos = core.time.nanoTime();
            return core.queue.stream()
                    .map(waiter -> waiting(waiter, date(waiter.since, now, nanos)))
                    .toList();
        });
    }

    private static WaiterView waiting(Waiter waiter, Instant since) {
        return new WaiterView(waiter.owner, waiter.pod, since, since.plus(waiter.timeout));
    }

    /** In turn: everything as it is at a moment of this call. */
    private Moment copied() {
        Moment moment = core.locked(() -> {
            long from = core.time.nanoTime();
            Moment begun = new Moment(core.inventory.beginCopy());
            begun.held(from);
            return begun;
        });
        while (!core.locked(moment::goOn)) {
            core.lock.giveWay();
        }
        longestHold = Duration.ofNanos(moment.longestHold);
        return moment;
    }

    Duration longestHold() {
        return longestHold;
    }

    /** The pool beside its slots, and both clocks. Made under the lock; read without it once the copy is complete. */
    private final class Moment {
        final InventoryCopy copy;
        final Instant now = core.time.now();
        final long nanos = core.time.nanoTime();
        final long version = core.inventory.version();
        final long admitted = core.admitted;
        final ResourceKind kind = core.factories.kind;
        final PoolSummary summary = counted();
        final Activity activity = core.activity.read(nanos);
        final List<Waiter> waiters = List.copyOf(core.queue);

        private long longestHold;

        Moment(InventoryCopy copy) {
            this.copy = copy;
        }

        /** Under the lock; whether the copy is complete. */
        boolean goOn() {
            long from = core.time.nanoTime();
            boolean complete = core.inventory.copyMore(copy);
            held(from);
            return complete;
        }

        void held(long from) {
            longestHold = Math.max(longestHold, core.time.nanoTime() - from);
        }

        PoolSnapshot snapshot() {
            return new PoolSnapshot(
                    now,
                    kind,
                    summary.capacity(),
                    summary.minIdle(),
                    summary.maxIdle(),
                    summary.count(CREATING),
                    summary.waiting(),
                    activity,
                    each(slot -> new ResourceView(
                            slot.resource(), slot.state(), date(slot.since(), now, nanos), owner(slot))),
                    waiters.stream().map(waiter -> waiter.asker).toList());
        }

        private Optional<PodView> owner(SlotCopy slot) {
            boolean pods = slot.owner() != null || slot.state() == RESERVED;
            return pods ? Optional.ofNullable(slot.pod()).map(core.pods) : Optional.empty();
        }

        PoolView view() {
            return new PoolView(now, summary, each(this::entry));
        }

        private PoolView.Entry entry(SlotCopy slot) {
            boolean held = slot.state() == COOLING || slot.state() == RESERVED;
            return new PoolView.Entry(
                    slot.resource(),
                    slot.state(),
                    date(slot.since(), now, nanos),
                    held ? Optional.of(date(slot.until(), now, nanos)) : Optional.empty(),
                    Optional.ofNullable(slot.owner()),
                    Optional.ofNullable(slot.pod()));
        }

        private <T> List<T> each(Function<SlotCopy, T> convert) {
            return Arrays.stream(copy.copies()).sorted(ORDER).map(convert).toList();
        }
    }

    private static Instant date(long then, Instant now, long nanos) {
        return now.plusNanos(then - nanos);
    }
}
