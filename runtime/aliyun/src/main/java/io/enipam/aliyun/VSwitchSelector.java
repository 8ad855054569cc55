package io.enipam.aliyun;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.client.MetadataClient.NodeIdentity;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.engine.port.EventSink;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Selects the vSwitches in which the next ENIs are made: those configured for the node's zone that exist and are in it, else
 * the node's own. Thread-safe; one update at a time, and readers see a selection as a whole.
 */
final class VSwitchSelector {
    private final NodeIdentity node;
    private final EcsApi api;
    private final EventSink events;
    private volatile Selection current;

    /**
     * @param policy which of the usable ones the next ENI is made in
     * @param usable described when they were chosen, in order of preference, at least one
     */
    record Selection(Map<String, List<String>> configured, VSwitchPolicy policy, List<VSwitch> usable) {
        List<String> ids() {
            return usable.stream().map(VSwitch::id).toList();
        }
    }

    /**
     * @throws FactoryException if none can be used
     * @throws EcsException if the cloud does not answer
     */
    VSwitchSelector(EniConfig enis, NodeIdentity node, EcsApi api, EventSink events) {
        this.node = node;
        this.api = api;
        this.events = events;
        this.current = choose(enis);
    }

    Selection current() {
        return current;
    }

    /**
     * Chooses anew; throws as the constructor does, and then the former selection stays in force.
     *
     * @return whether the configuration differs from the former one
     */
    synchronized boolean update(EniConfig enis) {
        if (enis.vswitches().equals(current.configured()) && enis.vswitchPolicy() == current.policy()) {
            return false;
        }
        current = choose(enis);
        return true;
    }

    private Selection choose(EniConfig enis) {
        List<String> problems = new ArrayList<>();
        List<String> ids = enis.vswitches().getOrDefault(node.zoneId(), List.of());
        if (ids.isEmpty() && !enis.vswitches().isEmpty()) {
            problems.add("'vswitches' names none for zone " + node.zoneId() + ", only for "
                    + String.join(", ", new TreeSet<>(enis.vswitches().keySet())) + "; the instance's own, "
                    + node.vswitchId() + ", is used");
        }
        List<VSwitch> usable = new ArrayList<>();
        candidates(enis.vswitches(), node).forEach(id -> {
            Optional<VSwitch> found = find(id);
            Optional<String> problem = problem(id, found, enis.dual());
            problem.ifPresentOrElse(problems::add, () -> found.ifPresent(usable::add));
        });
        if (usable.isEmpty()) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.join("; ", problems) + "; correct 'vswitches'");
        }
        problems.forEach(problem -> events.warning("VSwitchUnusable", "vswitches", problem));
        return new Selection(enis.vswitches(), enis.vswitchPolicy(), usable);
    }

    static Stream<String> candidates(Map<String, List<String>> byZone, NodeIdentity node) {
        List<String> ids = byZone.getOrDefault(node.zoneId(), List.of());
        return ids.isEmpty() ? Stream.of(node.vswitchId()) : ids.stream().distinct();
    }

    private Optional<VSwitch> find(String id) {
        try {
            return Optional.of(api.describeVSwitch(id));
        } catch (EcsException e) {
            if (!e.code().equals("InvalidVSwitchId.NotFound")) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private Optional<String> problem(String id, Optional<VSwitch> found, boolean dual) {
        if (found.isEmpty()) {
            return Optional.of("vSwitch " + id + " of 'vswitches' does not exist in region " + node.regionId());
        }
        VSwitch vswitch = found.get();
        if (dual && vswitch.ipv6Cidr().isEmpty()) {
            return Optional.of("vSwitch " + id + " has no IPv6 block, and 'ip_stack: dual' needs one; turn on IPv6 for"
                    + " it, or set 'ip_stack: ipv4'");
        }
        return vswitch.zoneId().isEmpty() || vswitch.zoneId().equals(node.zoneId())
                ? Optional.empty()
                : Optional.of("vSwitch " + id + " is in zone " + vswitch.zoneId() + ", this instance in "
                        + node.zoneId() + "; an ENI can only be attached within its zone");
    }
}
