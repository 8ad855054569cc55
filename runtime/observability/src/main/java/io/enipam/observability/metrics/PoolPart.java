package io.enipam.observability.metrics;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.sdk.ResourceState;
import java.util.List;

/** The pool, from one view of it and the agenda, as {@code status} takes them. */
record PoolPart(IpamEngine engine) implements Part {
    private static final Metric RESOURCES =
            Metric.gauge("enipam_pool_resources", "Resources in the pool, by state.", "state");
    private static final Metric CAPACITY =
            Metric.gauge("enipam_pool_capacity", "The most resources that the pool may hold, whatever their state.");
    private static final Metric MIN_IDLE =
            Metric.gauge("enipam_pool_min_idle", "Lower watermark: resources are made when fewer are idle.");
    private static final Metric MAX_IDLE =
            Metric.gauge("enipam_pool_max_idle", "Upper watermark: resources are given back when more are idle.");
    private static final Metric WAITING =
            Metric.gauge("enipam_pool_waiting", "ADDs that wait for a resource in the pool's queue.");
    private static final Metric LEASES = Metric.gauge("enipam_leases", "Resources that a pod has.");
    private static final Metric RESERVATIONS =
            Metric.gauge("enipam_reservations", "Idle resources that are kept for the successor of a pod.");
    private static final Metric CREATE_FAILING = Metric.gauge(
            "enipam_pool_create_failing", "1 while the last resource that was asked for could not be made, else 0.");
    private static final Metric DISPOSE_FAILING =
            Metric.gauge("enipam_pool_dispose_failing", "Resources whose way back failed and is tried again.");
    private static final Metric ORDER = Metric.gauge(
            "enipam_pool_order", "1 for the standing order in force: what the pool was told over its policy.", "order");

    @Override
    public String name() {
        return "pool";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                RESOURCES,
                CAPACITY,
                MIN_IDLE,
                MAX_IDLE,
                WAITING,
                LEASES,
                RESERVATIONS,
                CREATE_FAILING,
                DISPOSE_FAILING,
                ORDER);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        PoolView pool = moment.pool();
        pool.counts().forEach((state, count) -> sheet.put(RESOURCES, count, Words.lower(state)));
        sheet.put(CAPACITY, pool.capacity());
        sheet.put(MIN_IDLE, pool.minIdle());
        sheet.put(MAX_IDLE, pool.maxIdle());
        sheet.put(WAITING, pool.waiting());
        sheet.put(
                LEASES,
                pool.entries().stream()
                        .filter(entry -> entry.owner().isPresent())
                        .count());
        sheet.put(RESERVATIONS, pool.count(ResourceState.RESERVED));
        var agenda = engine.pendingWork();
        sheet.put(CREATE_FAILING, agenda.createTrouble().isPresent());
        sheet.put(DISPOSE_FAILING, agenda.disposals().size());
        CapacityOverride.Kind order = engine.capacityOverride().kind();
        for (CapacityOverride.Kind kind : CapacityOverride.Kind.values()) {
            sheet.put(ORDER, kind == order, Words.lower(kind));
        }
    }
}
