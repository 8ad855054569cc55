package io.enipam.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.testing.FakeFactory;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Whoever else has a hand in the cloud: takes addresses away, gives them back, moves them, makes some, and makes lists slow, old
 * or empty. It remembers what is gone, and holds the engine to knowing it.
 */
final class ExternalActor {
    private static final Set<ResourceState> NOT_KNOWN =
            EnumSet.of(ResourceState.IDLE, ResourceState.IN_USE, ResourceState.COOLING, ResourceState.RESERVED);
    private static final int CAPACITY = 8;

    private final SplittableRandom random;
    private final TimeSource time;
    private final Map<String, FakeFactory> factories;
    private final Map<ResourceId, Taken> taken = new TreeMap<>();
    private final Set<ResourceId> meddled = new HashSet<>();
    private final Map<ResourceId, Instant> inPoolSince = new HashMap<>();

    private record Taken(String factory, Resource resource, Instant at) {}

    ExternalActor(SplittableRandom random, TimeSource time, Map<String, FakeFactory> factories) {
        this.random = random;
        this.time = time;
        this.factories = factories;
    }

    /** Takes one address of a factory away, or a whole ENI's. */
    void takes(String name) {
        List<Resource> books = factories.get(name).contents();
        if (books.isEmpty()) {
            return;
        }
        List<Resource> gone = random.nextInt(6) == 0 ? books : List.of(books.get(random.nextInt(books.size())));
        for (Resource resource : gone) {
            factories.get(name).lose(resource.id());
            taken.put(resource.id(), new Taken(name, resource, time.now()));
        }
    }

    /** Gives back something that was taken. */
    void givesBack() {
        if (taken.isEmpty()) {
            return;
        }
        List<ResourceId> all = List.copyOf(taken.keySet());
        Taken back = taken.get(all.get(random.nextInt(all.size())));
        if (factories.get(back.factory).regain(back.resource)) {
            taken.remove(back.resource.id());
            meddled.add(back.resource.id());
        }
    }

    /** Makes an address that nobody asked for, or moves one to another ENI. */
    void meddles(String name) {
        FakeFactory factory = factories.get(name);
        List<Resource> books = factory.contents();
        if (random.nextBoolean() && books.size() < CAPACITY) {
            meddled.add(factory.appear().id());
        } else if (!books.isEmpty()) {
            Resource here = books.get(random.nextInt(books.size()));
            if (!here.parent().endsWith("-else")) {
                Resource there = factory.move(here.id(), here.parent() + "-else");
                meddled.add(there.id());
                taken.remove(there.id());
                taken.put(here.id(), new Taken(name, here, time.now()));
            }
        }
    }

    /** Lists come late, tell of the past, or tell nothing for once. */
    void slowsLists(FakeFactory factory) {
        Duration delay = Duration.ofMillis(random.nextInt(4_000));
        switch (random.nextInt(3)) {
            case 0 -> factory.listsAfter(delay);
            case 1 -> factory.listsStaleAfter(delay);
            default -> factory.listsNext(List.of());
        }
    }

    /** Whether a resource was made or given back by no doing of the engine's. */
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
        return entry.owner().isPresent() && entry.since().isAfter(at.minus(Duration.ofMinutes(2)));
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
        assertThat(pool.entries())
                .as("what is gone from the cloud is nobody's to get")
                .noneMatch(entry -> gone.contains(entry.resource().id())
                        && NOT_KNOWN.contains(entry.state())
                        && !isYoung(entry, report.startedAt())
                        && inPoolSince
                                .getOrDefault(entry.resource().id(), Instant.MAX)
                                .isBefore(report.startedAt()));
    }
}
