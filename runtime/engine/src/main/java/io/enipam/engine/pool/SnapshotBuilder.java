package io.enipam.engine.pool;

import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.sdk.Activity;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Copies the inventory at one moment, for policies and for operators: idle first, longest idle ahead, the rest by id.
 * Slots keep {@code nanoTime}; a snapshot converts it to dates by the distance from now.
 *
 * @param now the moment as a date
 * @param nanos the same moment as {@code nanoTime}
 */
record SnapshotBuilder(Instant now, long nanos) {
    PoolSnapshot snapshot(PoolSettings settings, int capacity, int waiting, Activity activity, Inventory inventory) {
        return new PoolSnapshot(
                now,
                inventory.makers().kind(),
                capacity,
                settings.minIdle(),
                settings.maxIdle(),
                inventory.count(ResourceState.CREATING),
                waiting,
                activity,
                each(inventory, slot -> new ResourceView(slot.resource, slot.state, date(slot.since))));
    }

    PoolView view(PoolSettings settings, String policy, int capacity, int waiting, Inventory inventory) {
        return new PoolView(
                now,
                inventory.makers().kind().name(),
                policy,
                new Watermarks(settings.minIdle(), settings.maxIdle(), capacity),
                inventory.count(ResourceState.CREATING),
                waiting,
                each(inventory, this::entry));
    }

    private PoolView.Entry entry(Slot slot) {
        boolean held = slot.state == ResourceState.COOLING || slot.state == ResourceState.RESERVED;
        return new PoolView.Entry(
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

    private static <T> List<T> each(Inventory inventory, Function<Slot, T> draw) {
        List<T> drawn = new ArrayList<>(inventory.slots().size());
        inventory.idle().forEach(slot -> drawn.add(draw.apply(slot)));
        inventory.slots().stream()
                .filter(slot -> slot.state != ResourceState.IDLE)
                .sorted(Comparator.comparing(slot -> slot.resource.id()))
                .forEach(slot -> drawn.add(draw.apply(slot)));
        return drawn;
    }

    private Instant date(long then) {
        return now.plusNanos(then - nanos);
    }
}
