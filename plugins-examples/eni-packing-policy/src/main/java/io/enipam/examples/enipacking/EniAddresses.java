package io.enipam.examples.enipacking;

import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The addresses of one ENI in one snapshot. For one thread. */
final class EniAddresses {
    /**
     * From the one that is nearest to going back to the fullest: fewest pods, then fewest addresses that may soon be lent again,
     * then fewest addresses left to get rid of. The name decides between equals, so that the order is the same each time.
     */
    static final Comparator<EniAddresses> EMPTIEST_FIRST = Comparator.comparingInt(EniAddresses::pinned)
            .thenComparingInt(EniAddresses::cooling)
            .thenComparingInt(EniAddresses::idleCount)
            .thenComparing(EniAddresses::name);

    private final String name;
    private final List<ResourceId> secondaries = new ArrayList<>();
    private Optional<ResourceId> primary = Optional.empty();
    private Instant changed = Instant.MIN;
    private int pinned;
    private int cooling;
    private int leaving;

    private EniAddresses(String name) {
        this.name = name;
    }

    /** A snapshot grouped by ENI, in one walk. A resource without a parent comes and goes by itself, as an ENI of one address does. */
    static Collection<EniAddresses> of(PoolSnapshot pool) {
        Map<String, EniAddresses> byName = new HashMap<>();
        for (ResourceView view : pool.resources()) {
            Resource resource = view.resource();
            String name = resource.parent().isEmpty() ? resource.id().value() : resource.parent();
            byName.computeIfAbsent(name, EniAddresses::new).count(view);
        }
        return byName.values();
    }

    static List<EniAddresses> emptiestFirst(Collection<EniAddresses> all) {
        return all.stream().sorted(EMPTIEST_FIRST).toList();
    }

    private void count(ResourceView view) {
        switch (view.state()) {
            case IDLE -> idle(view);
            // a lost address is there until its pod is gone
            case IN_USE, RESERVED, INVALID -> pinned++;
            case COOLING -> cooling++;
            case DISPOSING -> leaving++;
            case CREATING -> {}
        }
    }

    private void idle(ResourceView view) {
        if (view.resource().primary()) {
            primary = Optional.of(view.resource().id());
        } else {
            secondaries.add(view.resource().id());
        }
        if (view.since().isAfter(changed)) {
            changed = view.since();
        }
    }

    String name() {
        return name;
    }

    /** Addresses that keep the ENI here: lent ones, those kept for a pod, and those the cloud lost. */
    int pinned() {
        return pinned;
    }

    int cooling() {
        return cooling;
    }

    int leaving() {
        return leaving;
    }

    int idleCount() {
        return secondaries.size() + (primary.isPresent() ? 1 : 0);
    }

    /**
     * The idle address to lend. The primary one first: it cannot go back alone, so lending it leaves others that can.
     *
     * @return empty if none is idle
     */
    Optional<ResourceId> lendFirst() {
        return primary.isPresent() || secondaries.isEmpty() ? primary : Optional.of(secondaries.get(0));
    }

    /** Its idle addresses in the order in which they can go: longest idle first, and the primary one last. */
    List<ResourceId> wayOut() {
        List<ResourceId> order = new ArrayList<>(secondaries);
        primary.ifPresent(order::add);
        return order;
    }

    /** How many of its idle addresses can go at once; the primary one only alone, and so after all others are gone. */
    int canGoNow() {
        boolean alone = unused() && leaving == 0;
        return secondaries.isEmpty() && alone ? idleCount() : secondaries.size();
    }

    /** Whether nothing but idle addresses is on it. */
    boolean unused() {
        return idleCount() > 0 && pinned == 0 && cooling == 0;
    }

    /** How long it has been so; zero if it is in use. */
    Duration unusedFor(Instant now) {
        return unused() && changed.isBefore(now) ? Duration.between(changed, now) : Duration.ZERO;
    }
}
