package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The pool at one moment, for inspection.
 *
 * @param watermarks lower and upper watermark, and the most that it may hold now
 * @param creating asked of the factory
 * @param entries everything it holds but those being created
 */
public record PoolView(
        Instant at, String kind, String policy, Watermarks watermarks, int creating, int waiting, List<Entry> entries) {
    public PoolView {
        entries = List.copyOf(entries);
    }

    public int capacity() {
        return watermarks.capacity();
    }

    public int minIdle() {
        return watermarks.minIdle();
    }

    public int maxIdle() {
        return watermarks.maxIdle();
    }

    /** How many resources are in each state; a state without any is 0. */
    public Map<ResourceState, Integer> counts() {
        Map<ResourceState, Integer> counts = new EnumMap<>(ResourceState.class);
        for (ResourceState state : ResourceState.values()) {
            counts.put(state, 0);
        }
        entries.forEach(entry -> counts.merge(entry.state(), 1, Integer::sum));
        counts.put(ResourceState.CREATING, creating);
        return Collections.unmodifiableMap(counts);
    }

    /** How many resources are in a state. */
    public int count(ResourceState state) {
        return state == ResourceState.CREATING
                ? creating
                : (int) entries.stream().filter(e -> e.state() == state).count();
    }

    /**
     * One resource.
     *
     * @param until when the state ends by itself, where it does
     * @param pod the pod that has it, or it is kept for, where there is one
     */
    public record Entry(
            Resource resource,
            ResourceState state,
            Instant since,
            Optional<Instant> until,
            Optional<OwnerKey> owner,
            Optional<PodRef> pod) {}

    /**
     * A caller in the pool's queue, for inspection.
     *
     * @param until when its ADD fails for lack of a resource
     */
    public record WaiterView(OwnerKey owner, PodRef pod, Instant since, Instant until) {}

    /**
     * A resource that a factory was asked for and that has not come yet, for inspection.
     *
     * @param token the name of the request, as in the database's intents
     * @param until when the pool counts on it no more
     */
    public record PendingCreate(String token, String factory, Instant since, Instant until) {}

    /**
     * Something that failed and is tried again, for inspection.
     *
     * @param failures in a row, at least 1
     * @param since when the first of them failed
     */
    public record RetryState(int failures, ErrorKind kind, String message, Instant at, Instant next, Instant since) {
        /** The same by a clock that was set since: all dates are where they are as the clock goes now. */
        RetryState movedBy(Duration jump) {
            return new RetryState(failures, kind, message, at.plus(jump), next.plus(jump), since.plus(jump));
        }
    }

    /**
     * Copies the pool at one moment, for policies and for operators: idle first, longest idle ahead, the rest by id.
     * Slots keep {@code nanoTime}, which becomes a date by the distance from now. Used under the pool's lock.
     */
    static final class PoolViewBuilder {
        private final PoolCore core;
        private final Instant now;
        private final long nanos;

        PoolViewBuilder(PoolCore core) {
            this.core = core;
            this.now = core.time.now();
            this.nanos = core.time.nanoTime();
        }

        PoolSnapshot snapshot() {
            return new PoolSnapshot(
                    now,
                    core.factories.kind,
                    core.capacity(),
                    core.settings.minIdle(),
                    core.settings.maxIdle(),
                    core.inventory.count(ResourceState.CREATING),
                    core.queue.size(),
                    core.activity.read(nanos),
                    each(slot -> new ResourceView(slot.resource, slot.state, date(slot.since))));
        }

        PoolView view() {
            return new PoolView(
                    now,
                    core.factories.kind.name(),
                    core.policy.name(),
                    new Watermarks(core.settings.minIdle(), core.settings.maxIdle(), core.capacity()),
                    core.inventory.count(ResourceState.CREATING),
                    core.queue.size(),
                    each(this::entry));
        }

        private Entry entry(Slot slot) {
            boolean held = slot.state == ResourceState.COOLING || slot.state == ResourceState.RESERVED;
            return new Entry(
                    slot.resource,
                    slot.state,
                    date(slot.since),
                    held ? Optional.of(date(slot.until)) : Optional.empty(),
                    Optional.ofNullable(slot.owner),
                    Optional.ofNullable(slot.pod));
        }

        WaiterView waiting(Waiter waiter) {
            Instant since = date(waiter.since);
            return new WaiterView(waiter.owner, waiter.pod, since, since.plus(waiter.timeout));
        }

        private <T> List<T> each(Function<Slot, T> copy) {
            List<T> copies = new ArrayList<>(core.inventory.slots().size());
            core.inventory.idle().forEach(slot -> copies.add(copy.apply(slot)));
            core.inventory.slots().stream()
                    .filter(slot -> slot.state != ResourceState.IDLE)
                    .sorted(Comparator.comparing(slot -> slot.resource.id()))
                    .forEach(slot -> copies.add(copy.apply(slot)));
            return copies;
        }

        private Instant date(long then) {
            return now.plusNanos(then - nanos);
        }
    }
}
