package io.enipam.emulator.cloud;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Everything the cloud knows at one moment. Immutable: an action makes a new state out of this one, so a failed action
 * has changed nothing, and a state that was handed out stays as it is. In the state file the fields of the layout stand
 * beside the others.
 *
 * @param enis by id, in the order of creation
 * @param answers by action and ClientToken, the oldest first
 * @param made how many ENIs were ever made
 * @param quotas what the account may have; a saved state's are replaced by the configured ones
 * @param routes the custom entries of the VPC's route table, in the order of creation
 */
public record CloudState(
        @JsonUnwrapped Layout layout,
        Map<String, EmulatedEni> enis,
        Map<String, CachedResponse> answers,
        long made,
        Quotas quotas,
        List<Route> routes) {
    /** The format this code writes and reads. */
    public static final int FORMAT = 2;

    /**
     * What is made at the start and does not change.
     *
     * @param format version of the saved form
     * @param seed of ids made from here on
     * @param zones all zones there are, the first one for whatever names none
     */
    public record Layout(
            int format,
            long seed,
            String regionId,
            List<String> zones,
            Vpc vpc,
            List<VSwitch> vswitches,
            List<Instance> instances) {
        public Layout {
            zones = List.copyOf(zones);
            vswitches = List.copyOf(vswitches);
            instances = List.copyOf(instances);
        }
    }

    /**
     * The VPC that holds everything.
     *
     * @param cidr a block that covers all vSwitches
     * @param ipv6Cidr a block that covers those of all vSwitches that have IPv6; empty if none has
     * @param securityGroups {@code sg-...}; the instances are in the first
     */
    public record Vpc(String id, String cidr, Optional<String> ipv6Cidr, List<String> securityGroups) {
        public Vpc {
            securityGroups = List.copyOf(securityGroups);
        }

        public String securityGroup() {
            return securityGroups.get(0);
        }
    }

    /**
     * A custom entry of the VPC's route table; it is in force at once.
     *
     * @param number by which entries are in the order of their creation, from 1
     * @param destination a block in canonical text, unique in the table
     * @param hopType {@code Instance} or {@code NetworkInterface}
     */
    public record Route(String id, long number, String destination, String hopType, String hopId) {}

    /** A virtual machine, always Running; its vSwitch is that of its primary ENI. */
    public record Instance(String id, String type, String hostname, String vswitchId, Instant created) {}

    /**
     * What the account may have in the region, as the documents of ECS and VPC limit it by default. What an instance type
     * allows is in {@link InstanceType}.
     *
     * @param enis ENIs, the primary ones not counted; at least 0
     * @param groupMembers ENIs in one security group, the primary ones counted; at least 1
     * @param privateIps IPv4 addresses in the VPC; at least 1
     */
    public record Quotas(int enis, int groupMembers, int privateIps) {
        public Quotas {
            if (enis < 0 || groupMembers < 1 || privateIps < 1) {
                throw new IllegalArgumentException("quotas are counts, but got enis=" + enis + ", groupMembers="
                        + groupMembers + ", privateIps=" + privateIps);
            }
        }

        /** 50,000 ENIs, 2,000 members of a group, 60,000 addresses. */
        public static Quotas defaults() {
            return new Quotas(50_000, 2000, 60_000);
        }
    }

    /**
     * The answer that was given to a ClientToken, without its request id, kept so that a repeated call gets it again;
     * the fingerprint is that of the call's parameters.
     */
    public record CachedResponse(String fingerprint, JsonNode body, Instant at) {}

    public CloudState {
        enis = Collections.unmodifiableMap(new LinkedHashMap<>(enis));
        answers = Collections.unmodifiableMap(new LinkedHashMap<>(answers));
        routes = List.copyOf(routes);
    }

    public Optional<VSwitch> vswitch(String id) {
        return layout.vswitches.stream()
                .filter(vswitch -> vswitch.id().equals(id))
                .findFirst();
    }

    public Optional<Instance> instance(String id) {
        return layout.instances.stream()
                .filter(instance -> instance.id().equals(id))
                .findFirst();
    }

    public Optional<EmulatedEni> eni(String id) {
        return Optional.ofNullable(enis.get(id));
    }

    /** The ENIs that hold a slot of the instance, the primary one first. */
    public List<EmulatedEni> enisOn(String instance) {
        return enis.values().stream().filter(eni -> eni.isOn(instance)).toList();
    }

    public InstanceType typeOf(Instance instance) {
        return InstanceType.find(instance.type())
                .orElseThrow(() -> new IllegalStateException(
                        "instance " + instance.id() + " has the unknown type " + instance.type()));
    }

    /** The zone of an instance: that of the vSwitch of its primary ENI. */
    public String zoneOf(Instance instance) {
        return zoneOf(instance.vswitchId());
    }

    /** The zone of a vSwitch; the first one if there is no such vSwitch. */
    public String zoneOf(String vswitchId) {
        return vswitch(vswitchId).map(VSwitch::zoneId).orElse(layout.zones.get(0));
    }

    /** The IPv4 addresses taken in a vSwitch, alone or in a prefix. */
    public Set<String> used(String vswitchId) {
        return used(vswitchId, EmulatedEni::addressesTaken);
    }

    public Set<String> usedIpv6(String vswitchId) {
        return used(vswitchId, eni -> eni.ips().ipv6s());
    }

    private Set<String> used(String vswitchId, Function<EmulatedEni, List<String>> addresses) {
        return enis.values().stream()
                .filter(eni -> eni.ips().vswitchId().equals(vswitchId))
                .flatMap(eni -> addresses.apply(eni).stream())
                .collect(Collectors.toSet());
    }

    public long members(String group) {
        return enis.values().stream()
                .filter(eni -> eni.attributes().securityGroups().contains(group))
                .count();
    }

    /** How many IPv4 addresses are taken in the VPC. */
    public int privateIps() {
        return enis.values().stream().mapToInt(EmulatedEni::addressesTakenCount).sum();
    }

    public CloudState made(EmulatedEni eni) {
        return new CloudState(layout, put(eni), answers, made + 1, quotas, routes);
    }

    public CloudState changed(EmulatedEni eni) {
        return new CloudState(layout, put(eni), answers, made, quotas, routes);
    }

    public CloudState remembering(Map<String, CachedResponse> newAnswers) {
        return new CloudState(layout, enis, newAnswers, made, quotas, routes);
    }

    public CloudState routed(List<Route> newRoutes) {
        return new CloudState(layout, enis, answers, made, quotas, newRoutes);
    }

    /** The VPC's only route table. */
    public String routeTable() {
        return IdGenerator.resource(layout.seed, "vtb", 0);
    }

    public CloudState limited(Quotas newQuotas) {
        return new CloudState(layout, enis, answers, made, newQuotas, routes);
    }

    /** With all passing states ended that have had their time by now; this very state if none has. */
    public CloudState at(Instant now) {
        Collection<EmulatedEni> all = enis.values();
        if (all.stream().noneMatch(eni -> eni.isOver(now))) {
            return this;
        }
        Map<String, EmulatedEni> settled = new LinkedHashMap<>();
        all.forEach(eni -> eni.at(now).ifPresent(later -> settled.put(later.id(), later)));
        return new CloudState(layout, settled, answers, made, quotas, routes);
    }

    private Map<String, EmulatedEni> put(EmulatedEni eni) {
        Map<String, EmulatedEni> copy = new LinkedHashMap<>(enis);
        copy.put(eni.id(), eni);
        return copy;
    }
}
