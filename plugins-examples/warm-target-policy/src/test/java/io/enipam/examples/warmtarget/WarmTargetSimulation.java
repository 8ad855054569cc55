package io.enipam.examples.warmtarget;

import io.enipam.sdk.Activity;
import io.enipam.sdk.Address;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A node that does what a policy says, at once: addresses come on the first ENI with room, the first one of an ENI is its
 * primary, and that one goes only in a turn that finds it alone. For one thread.
 */
final class WarmTargetSimulation {
    private final List<ResourceView> addresses = new ArrayList<>();
    private final PoolPolicy policy;
    private final int enis;
    private final int perEni;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int made;
    private int creates;
    private int disposals;

    WarmTargetSimulation(PoolPolicy policy, int enis, int perEni) {
        this.policy = policy;
        this.enis = enis;
        this.perEni = perEni;
    }

    PoolSnapshot snapshot() {
        List<ResourceView> ordered = new ArrayList<>();
        addresses.stream().filter(a -> a.state() == ResourceState.IDLE).forEach(ordered::add);
        addresses.stream().filter(a -> a.state() != ResourceState.IDLE).forEach(ordered::add);
        return new PoolSnapshot(now, ResourceKind.ENI_IP, enis * perEni, 0, 5, 0, 0, Activity.NONE, ordered);
    }

    /** Asks and obeys until nothing changes any more. */
    WarmTargetSimulation settle() {
        for (int turn = 0; turn < 1_000; turn++) {
            Target target = policy.target(snapshot());
            if (!grow(target.minIdle()) && !shrink(target)) {
                return this;
            }
        }
        throw new AssertionError("the policy never comes to rest; the ENIs are at " + perEniNow());
    }

    WarmTargetSimulation pass(Duration time) {
        now = now.plus(time);
        return this;
    }

    /** Starts pods: each takes the longest idle address, and the node settles after each. */
    WarmTargetSimulation start(int pods) {
        for (int i = 0; i < pods; i++) {
            change(ResourceState.IDLE, ResourceState.IN_USE, "");
            settle();
        }
        return this;
    }

    /** Stops pods on one ENI, which leaves their addresses in a state. */
    WarmTargetSimulation stop(int pods, String eni, ResourceState then) {
        for (int i = 0; i < pods; i++) {
            change(ResourceState.IN_USE, then, eni);
        }
        return this;
    }

    /** Lets all that cools be idle. */
    WarmTargetSimulation cooled() {
        while (count(ResourceState.COOLING) > 0) {
            change(ResourceState.COOLING, ResourceState.IDLE, "");
        }
        return this;
    }

    int count(ResourceState state) {
        return (int) addresses.stream().filter(a -> a.state() == state).count();
    }

    int total() {
        return addresses.size();
    }

    int creates() {
        return creates;
    }

    int disposals() {
        return disposals;
    }

    /** How many addresses each ENI has, oldest ENI first. */
    List<Integer> perEniNow() {
        return List.copyOf(byEni().values());
    }

    private Map<String, Integer> byEni() {
        Map<String, Integer> sizes = new TreeMap<>();
        addresses.forEach(a -> sizes.merge(a.resource().parent(), 1, Integer::sum));
        return sizes;
    }

    private void change(ResourceState from, ResourceState to, String eni) {
        ResourceView changed = addresses.stream()
                .filter(a -> a.state() == from
                        && (eni.isEmpty() || a.resource().parent().equals(eni)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing is " + from));
        addresses.remove(changed);
        addresses.add(new ResourceView(changed.resource(), to, now));
    }

    private boolean grow(int minIdle) {
        boolean grew = false;
        while (count(ResourceState.IDLE) < minIdle && addresses.size() < enis * perEni) {
            Map<String, Integer> sizes = byEni();
            String eni = sizes.entrySet().stream()
                    .filter(e -> e.getValue() < perEni)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseGet(() -> String.format("eni-%04d", made));
            addresses.add(new ResourceView(address(eni, !sizes.containsKey(eni)), ResourceState.IDLE, now));
            creates++;
            grew = true;
        }
        return grew;
    }

    private Resource address(String eni, boolean primary) {
        made++;
        String host = "10." + (made >> 16) + "." + (made >> 8 & 255) + "." + (made & 255);
        Map<String, String> attributes = new HashMap<>();
        attributes.put(Resource.PRIMARY, Boolean.toString(primary));
        return new Resource(
                new ResourceId(eni + "/" + host),
                ResourceKind.ENI_IP,
                List.of(Address.parse(host + "/8")),
                eni,
                attributes);
    }

    private boolean shrink(Target target) {
        List<ResourceView> order = new ArrayList<>();
        List<ResourceView> idle =
                addresses.stream().filter(a -> a.state() == ResourceState.IDLE).toList();
        target.shedFirst()
                .forEach(id -> order.add(idle.stream()
                        .filter(a -> a.resource().id().equals(id))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(id + " is not idle"))));
        idle.stream().filter(a -> !order.contains(a)).forEach(order::add);
        int surplus = idle.size() - target.maxIdle();
        boolean shrank = false;
        Map<String, Integer> sizes = byEni();
        for (ResourceView victim : order) {
            boolean alone = sizes.get(victim.resource().parent()) == 1;
            if (surplus > 0 && (alone || !victim.resource().primary())) {
                addresses.remove(victim);
                disposals++;
                surplus--;
                shrank = true;
            }
        }
        return shrank;
    }
}
