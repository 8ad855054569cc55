package io.enipam.examples.enipacking;

import io.enipam.sdk.Activity;
import io.enipam.sdk.Address;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A node of many ENIs in virtual time, with the engine's habits: addresses come on the first ENI with room; what is disposed
 * of is leaving for one turn before it is gone; a primary address goes only if nothing else is on its ENI. For one thread.
 */
final class EniPackingSimulation {
    private static final PodRef POD = PodRef.parse("default/web-0");

    private final List<ResourceView> addresses = new ArrayList<>();
    private final PoolPolicy policy;
    private final int minIdle;
    private final int maxIdle;
    private final int enis;
    private final int perEni;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int made;
    private int calls;

    EniPackingSimulation(PoolPolicy policy, int minIdle, int maxIdle, int enis, int perEni) {
        this.policy = policy;
        this.minIdle = minIdle;
        this.maxIdle = maxIdle;
        this.enis = enis;
        this.perEni = perEni;
    }

    PoolSnapshot snapshot() {
        List<ResourceView> ordered = new ArrayList<>();
        addresses.stream().filter(a -> a.state() == ResourceState.IDLE).forEach(ordered::add);
        addresses.stream().filter(a -> a.state() != ResourceState.IDLE).forEach(ordered::add);
        return new PoolSnapshot(
                now, ResourceKind.ENI_IP, enis * perEni, minIdle, maxIdle, 0, 0, Activity.NONE, ordered);
    }

    /** Asks and obeys until nothing changes any more. */
    EniPackingSimulation settle() {
        for (int turn = 0; turn < 1_000; turn++) {
            Target target = policy.target(snapshot());
            boolean changed = grow(target.minIdle()) || shrink(target);
            boolean gone = addresses.removeIf(
                    a -> a.state() == ResourceState.DISPOSING && a.since().isBefore(now));
            now = now.plusMillis(1);
            if (!changed && !gone && count(ResourceState.DISPOSING) == 0) {
                return this;
            }
        }
        throw new AssertionError("the policy never comes to rest; the ENIs are at " + sizes());
    }

    EniPackingSimulation pass(Duration time) {
        now = now.plus(time);
        return this;
    }

    /**
     * Starts one pod where the policy says, or wherever an address is idle.
     *
     * @return its address
     */
    ResourceId start() {
        Pick pick = policy.pick(snapshot(), POD);
        ResourceView taken = pick instanceof Pick.Chosen chosen ? view(chosen.id()) : first(ResourceState.IDLE);
        change(taken, ResourceState.IN_USE);
        return taken.resource().id();
    }

    void stop(ResourceId address) {
        change(view(address), ResourceState.IDLE);
    }

    int count(ResourceState state) {
        return (int) addresses.stream().filter(a -> a.state() == state).count();
    }

    /** How many calls of the cloud the policy has cost. */
    int calls() {
        return calls;
    }

    /** How many addresses each ENI has, by name; names go up with age. */
    Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        addresses.forEach(a -> sizes.merge(a.resource().parent(), 1, Integer::sum));
        return sizes;
    }

    private ResourceView first(ResourceState state) {
        return addresses.stream().filter(a -> a.state() == state).findFirst().orElseThrow();
    }

    private ResourceView view(ResourceId id) {
        return addresses.stream()
                .filter(a -> a.resource().id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError(id + " is not here"));
    }

    private void change(ResourceView address, ResourceState to) {
        addresses.remove(address);
        addresses.add(new ResourceView(address.resource(), to, now));
    }

    private boolean grow(int minIdle) {
        boolean grew = false;
        while (count(ResourceState.IDLE) < minIdle && addresses.size() < enis * perEni) {
            Map<String, Integer> sizes = sizes();
            String eni = sizes.entrySet().stream()
                    .filter(e -> e.getValue() < perEni)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseGet(() -> String.format("eni-%06d", made));
            addresses.add(new ResourceView(address(eni, !sizes.containsKey(eni)), ResourceState.IDLE, now));
            calls++;
            grew = true;
        }
        return grew;
    }

    private Resource address(String eni, boolean primary) {
        made++;
        String host = "10." + (made >> 16) + "." + (made >> 8 & 255) + "." + (made & 255);
        return new Resource(
                new ResourceId(eni + "/" + host),
                ResourceKind.ENI_IP,
                List.of(Address.parse(host + "/8")),
                eni,
                Map.of(Resource.PRIMARY, Boolean.toString(primary)));
    }

    private boolean shrink(Target target) {
        TreeSet<ResourceId> named = new TreeSet<>();
        List<ResourceView> order = new ArrayList<>();
        for (ResourceId id : target.shedFirst()) {
            ResourceView view = view(id);
            if (view.state() != ResourceState.IDLE || !named.add(id)) {
                throw new AssertionError(id + " is " + view.state() + ", or named twice");
            }
            order.add(view);
        }
        addresses.stream()
                .filter(a -> a.state() == ResourceState.IDLE
                        && !named.contains(a.resource().id()))
                .forEach(order::add);
        int surplus = order.size() - target.maxIdle();
        boolean shrank = false;
        Map<String, Integer> sizes = sizes();
        for (ResourceView victim : order) {
            boolean alone = sizes.get(victim.resource().parent()) == 1;
            if (surplus > 0 && (alone || !victim.resource().primary())) {
                change(victim, ResourceState.DISPOSING);
                calls++;
                surplus--;
                shrank = true;
            }
        }
        return shrank;
    }
}
