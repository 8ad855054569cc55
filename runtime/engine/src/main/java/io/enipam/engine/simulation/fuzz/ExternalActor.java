package io.enipam.engine.simulation.fuzz;

import static io.enipam.engine.simulation.fuzz.Violation.require;

import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Another actor in the cloud: takes addresses away, gives them back, moves them and makes some. It remembers what is gone, and checks
 * that the engine finds it out.
 */
final class ExternalActor {
    private static final Set<ResourceState> NOT_KNOWN =
            EnumSet.of(ResourceState.IDLE, ResourceState.IN_USE, ResourceState.COOLING, ResourceState.RESERVED);
    private static final String MOVED = "-else";

    private final VirtualTime time;
    private final Map<String, MemoryFactory> factories;
    private final Map<ResourceId, Taken> taken = new TreeMap<>();
    private final Set<ResourceId> meddled = new HashSet<>();
    private final Map<ResourceId, Instant> inPoolSince = new HashMap<>();

    private record Taken(String factory, Resource resource, Instant at) {}

    ExternalActor(VirtualTime time, Map<String, MemoryFactory> factories) {
        this.time = time;
        this.factories = factories;
    }

    /** Takes the nth address of a factory away, or all that it made. */
    void takes(String name, int nth, boolean all) {
        List<Resource> there = factories.get(name).contents();
        if (there.isEmpty()) {
            return;
        }
        for (Resource resource : all ? there : List.of(there.get(nth % there.size()))) {
            factories.get(name).lose(resource.id());
            taken.put(resource.id(), new Taken(name, resource, time.now()));
        }
    }

    /** Gives the nth of what was taken back, if there is room for it. */
    void givesBack(int nth) {
        if (taken.isEmpty()) {
            return;
        }
        Taken back = List.copyOf(taken.values()).get(nth % taken.size());
        if (factories.get(back.factory).regain(back.resource)) {
            taken.remove(back.resource.id());
            meddled.add(back.resource.id());
        }
    }

    /** Makes an address that the engine did not ask for, if there is room for it. */
    void makes(String name) {
        MemoryFactory factory = factories.get(name);
        if (factory.contents().size() < SimulatedNode.CAPACITY) {
            meddled.add(factory.appear().id());
        }
    }

    /** Moves the nth address of a factory to another ENI, unless it was moved before. */
    void moves(String name, int nth) {
        MemoryFactory factory = factories.get(name);
        List<Resource> all = factory.contents();
        if (all.isEmpty()) {
            return;
        }
        Resource here = all.get(nth % all.size());
        if (!here.parent().endsWith(MOVED)) {
            Resource there = factory.move(here.id(), here.parent() + MOVED);
            meddled.add(there.id());
            taken.remove(there.id());
            taken.put(here.id(), new Taken(name, here, time.now()));
        }
    }

    /** Whether a resource was made or given back by this one. */
    boolean gaveBack(String resource) {
        return meddled.contains(new ResourceId(resource));
    }

    /** Whether a resource is there by no doing of the engine's, or was once kept from it. */
    boolean meddledWith(String factory, Resource resource) {
        return meddled.contains(resource.id())
                || factories.get(factory).concealed().contains(resource.id());
    }

    /** Takes note of what is in the pool. */
    void saw(PoolView pool) {
        Set<ResourceId> there = new HashSet<>();
        pool.entries().forEach(entry -> there.add(entry.resource().id()));
        inPoolSince.keySet().retainAll(there);
        there.forEach(id -> inPoolSince.putIfAbsent(id, time.now()));
    }

    /** Whether a restart lets a lease be that the outside's lists may not show yet. */
    private static boolean isYoung(PoolView.Entry entry, Instant at) {
        return entry.owner().isPresent() && entry.since().isAfter(at.minus(SimulatedNode.YOUNG));
    }

    /** What was gone before a comparison began that met no obstacle, and was in the pool by then, is known to be gone. */
    void isKnownAfter(ReconcileReport report, String active, PoolView pool) {
        if (!report.problems().isEmpty()) {
            return;
        }
        Set<ResourceId> gone = new HashSet<>();
        taken.values().stream()
                .filter(t -> t.factory.equals(active) && t.at.isBefore(report.startedAt()))
                .forEach(t -> gone.add(t.resource.id()));
        List<PoolView.Entry> unknown = pool.entries().stream()
                .filter(entry -> gone.contains(entry.resource().id())
                        && NOT_KNOWN.contains(entry.state())
                        && !isYoung(entry, report.startedAt())
                        && inPoolSince
                                .getOrDefault(entry.resource().id(), Instant.MAX)
                                .isBefore(report.startedAt()))
                .toList();
        require(
                unknown.isEmpty(),
                "what is gone from the cloud is given to no pod",
                "it is known as lost after the comparison of " + report.startedAt(),
                () -> unknown);
    }
}
