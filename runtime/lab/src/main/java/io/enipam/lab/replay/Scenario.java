package io.enipam.lab.replay;

import io.enipam.emulator.SharedAccount;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.lab.replay.NodeReplay.Coming;
import io.enipam.lab.replay.ScenarioEvent.QuotaCut;
import io.enipam.lab.replay.ScenarioEvent.RollingUpgrade;
import io.enipam.lab.replay.ScenarioEvent.ZoneOutage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * Lets the events of a fleet happen: each is a few steps at known moments, at which no node runs. It also says which node takes a pod
 * that comes to one that is down: the next one by number that is not, after the one that took the last such pod.
 */
final class Scenario {
    /** What changes ENIs or addresses in a zone. */
    private static final List<String> ZONAL = List.of(
            "CreateNetworkInterface",
            "AttachNetworkInterface",
            "DetachNetworkInterface",
            "DeleteNetworkInterface",
            "AssignPrivateIpAddresses",
            "UnassignPrivateIpAddresses",
            "AssignIpv6Addresses",
            "UnassignIpv6Addresses");

    private final SharedAccount shared;
    private final ThrottleLimits usual;
    private final List<NodeReplay> nodes;
    private final List<String> zones;
    private final IntConsumer changed;
    private final PriorityQueue<Step> steps =
            new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingInt(Step::number));
    private final List<QuotaCut> cuts = new ArrayList<>();
    /** By node, how many upgrades have it down. */
    private final int[] down;

    private int last = -1;

    /** @param at from the trace's beginning, in nanoseconds */
    private record Step(long at, int number, Work work) {}

    private interface Work {
        void run(long now);
    }

    /**
     * @param zones the node with number n is in the one with number n modulo their number
     * @param nodes may be filled until the first step
     * @param changed receives the number of each node that gets a pod of another one
     */
    Scenario(
            Fleet fleet,
            List<String> zones,
            SharedAccount shared,
            ThrottleLimits usual,
            List<NodeReplay> nodes,
            IntConsumer changed) {
        this.zones = zones;
        this.shared = shared;
        this.usual = usual;
        this.nodes = nodes;
        this.changed = changed;
        this.down = new int[fleet.nodes()];
        for (ScenarioEvent event : fleet.events()) {
            if (event instanceof RollingUpgrade upgrade) {
                plan(upgrade);
            } else if (event instanceof ZoneOutage outage) {
                plan(outage);
            } else if (event instanceof QuotaCut cut) {
                step(cut.at(), now -> cut(() -> cuts.add(cut)));
                step(cut.at().plus(cut.lasts()), now -> cut(() -> cuts.remove(cut)));
            }
        }
    }

    private void step(Duration at, Work work) {
        steps.add(new Step(at.toNanos(), steps.size(), work));
    }

    /** When the next step is, from the trace's beginning in nanoseconds; the greatest number if there is none. */
    long next() {
        Step step = steps.peek();
        return step == null ? Long.MAX_VALUE : step.at();
    }

    /** Does the next step, whose time it is now. */
    void run(long now) {
        steps.remove().work().run(now);
    }

    private void cut(Runnable change) {
        change.run();
        Map<String, Integer> limits = new TreeMap<>(usual.perMinute());
        cuts.forEach(cut -> limits.put(cut.api(), cut.limit()));
        shared.windows().limit(new ThrottleLimits(limits));
    }

    private void plan(ZoneOutage outage) {
        String zone = outage.zone().isEmpty() ? zones.get(0) : outage.zone();
        int place = zones.indexOf(zone);
        if (place < 0) {
            throw new IllegalArgumentException(
                    "zone-outage: there is no zone " + zone + "; there are " + String.join(", ", zones));
        }
        Map<CloudControl, List<Long>> rules = new LinkedHashMap<>();
        step(outage.at(), now -> {
            for (int i = place; i < nodes.size(); i += zones.size()) {
                CloudControl control = nodes.get(i).cloud().control();
                rules.put(
                        control,
                        ZONAL.stream()
                                .map(api ->
                                        control.faults().add(FaultRule.on(api).fail("ServiceUnavailable")))
                                .toList());
            }
        });
        step(
                outage.at().plus(outage.lasts()),
                now -> rules.forEach((control, ids) -> ids.forEach(control.faults()::remove)));
    }

    private void plan(RollingUpgrade upgrade) {
        Duration at = upgrade.at();
        for (int first = 0; first < down.length; first += upgrade.batch()) {
            int from = first;
            int to = Math.min(down.length, from + upgrade.batch());
            step(at, now -> drain(from, to, now));
            step(at.plus(upgrade.down()), now -> {
                for (int i = from; i < to; i++) {
                    down[i]--;
                }
            });
            at = at.plus(upgrade.every());
        }
    }

    private void drain(int from, int to, long now) {
        for (int i = from; i < to; i++) {
            down[i]++;
        }
        for (int i = from; i < to; i++) {
            NodeReplay node = nodes.get(i);
            node.drain(now).forEach(moved -> come(node, moved, now));
        }
    }

    /** When the next pod of a node that is down comes, by the nodes' time; it moves to another one. The greatest number if none does. */
    long nextMove() {
        return nodes.stream()
                .filter(node -> down[node.number()] > 0)
                .mapToLong(NodeReplay::comes)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** A pod comes to a node at that moment, or to another one if that is down. */
    void come(NodeReplay home, Coming pod, long at) {
        Optional<NodeReplay> other = down[home.number()] == 0 ? Optional.empty() : other();
        if (other.isEmpty()) {
            home.come(pod, at);
            return;
        }
        // two nodes may have pods of one name, as they may have the same trace
        other.get().come(pod.renamed(pod.name() + "-n" + home.number()), at);
        changed.accept(other.get().number());
    }

    /** The next node that is not down; empty if all are. */
    private Optional<NodeReplay> other() {
        for (int i = 0; i < down.length; i++) {
            last = (last + 1) % down.length;
            if (down[last] == 0) {
                return Optional.of(nodes.get(last));
            }
        }
        return Optional.empty();
    }
}
