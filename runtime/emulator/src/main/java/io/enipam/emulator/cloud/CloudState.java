package io.enipam.emulator.cloud;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Everything the cloud knows at one moment. Immutable: an action makes a new state out of this one, so a failed action
 * has changed nothing, and a state that was handed out stays as it is.
 *
 * @param format version of the saved form
 * @param seed of ids made from here on
 * @param regionId the region
 * @param zones all zones there are, the first one for whatever names none
 * @param vpc the VPC
 * @param vswitches in the order configured
 * @param instances in the order configured
 * @param enis by id, in the order of creation
 * @param answers by action and ClientToken, the oldest first
 * @param made how many ENIs were ever made
 * @param quotas what the account may have; a saved state's are replaced by the configured ones
 */
public record CloudState(
        int format,
        long seed,
        String regionId,
        List<String> zones,
        Vpc vpc,
        List<VSwitch> vswitches,
        List<Instance> instances,
        Map<String, EmulatedEni> enis,
        Map<String, CachedResponse> answers,
        long made,
        Quotas quotas) {
    /** The format this code writes and reads. */
    public static final int FORMAT = 2;

    public CloudState {
        zones = List.copyOf(zones);
        vswitches = List.copyOf(vswitches);
        instances = List.copyOf(instances);
        enis = Collections.unmodifiableMap(new LinkedHashMap<>(enis));
        answers = Collections.unmodifiableMap(new LinkedHashMap<>(answers));
    }

    /** The vSwitch of that id. */
    public Optional<VSwitch> vswitch(String id) {
        return vswitches.stream().filter(vswitch -> vswitch.id().equals(id)).findFirst();
    }

    /** The instance of that id. */
    public Optional<Instance> instance(String id) {
        return instances.stream().filter(instance -> instance.id().equals(id)).findFirst();
    }

    /** The ENI of that id. */
    public Optional<EmulatedEni> eni(String id) {
        return Optional.ofNullable(enis.get(id));
    }

    /** The ENIs that hold a slot of the instance, the primary one first. */
    public List<EmulatedEni> enisOn(String instance) {
        return enis.values().stream().filter(eni -> eni.isOn(instance)).toList();
    }

    /** What the type of the instance allows. */
    public InstanceType typeOf(Instance instance) {
        return InstanceTypes.find(instance.type())
                .orElseThrow(() -> new IllegalStateException(
                        "instance " + instance.id() + " has the unknown type " + instance.type()));
    }

    /** The zone of an instance: that of the vSwitch of its primary ENI. */
    public String zoneOf(Instance instance) {
        return zoneOf(instance.vswitchId());
    }

    /** The zone of a vSwitch; the first one if there is no such vSwitch. */
    public String zoneOf(String vswitchId) {
        return vswitch(vswitchId).map(VSwitch::zoneId).orElse(zones.get(0));
    }

    /** The IPv4 addresses taken in a vSwitch, alone or in a prefix. */
    public Set<String> used(String vswitchId) {
        Set<String> used = new HashSet<>();
        for (EmulatedEni eni : enis.values()) {
            if (eni.vswitchId().equals(vswitchId)) {
                used.addAll(eni.addressesTaken());
            }
        }
        return used;
    }

    /** The IPv6 addresses taken in a vSwitch. */
    public Set<String> usedIpv6(String vswitchId) {
        Set<String> used = new HashSet<>();
        for (EmulatedEni eni : enis.values()) {
            if (eni.vswitchId().equals(vswitchId)) {
                used.addAll(eni.ipv6s());
            }
        }
        return used;
    }

    /** How many ENIs are in a security group. */
    public long members(String group) {
        return enis.values().stream()
                .filter(eni -> eni.securityGroups().contains(group))
                .count();
    }

    /** How many IPv4 addresses are taken in the VPC. */
    public int privateIps() {
        return enis.values().stream().mapToInt(EmulatedEni::addressesTakenCount).sum();
    }

    /** With one more ENI. */
    public CloudState made(EmulatedEni eni) {
        return with(put(enis, eni.id(), eni), answers, made + 1, quotas);
    }

    /** With an ENI replaced. */
    public CloudState changed(EmulatedEni eni) {
        return with(put(enis, eni.id(), eni), answers, made, quotas);
    }

    /** With other remembered answers. */
    public CloudState remembering(Map<String, CachedResponse> newAnswers) {
        return with(enis, newAnswers, made, quotas);
    }

    /** With other quotas. */
    public CloudState limited(Quotas newQuotas) {
        return with(enis, answers, made, newQuotas);
    }

    /** With all passing states ended that have had their time by now; this very state if none has. */
    public CloudState at(Instant now) {
        Collection<EmulatedEni> all = enis.values();
        if (all.stream().noneMatch(eni -> eni.isOver(now))) {
            return this;
        }
        Map<String, EmulatedEni> settled = new LinkedHashMap<>();
        all.forEach(eni -> eni.at(now).ifPresent(later -> settled.put(later.id(), later)));
        return with(settled, answers, made, quotas);
    }

    private CloudState with(
            Map<String, EmulatedEni> newEnis, Map<String, CachedResponse> newAnswers, long newMade, Quotas newQuotas) {
        return new CloudState(
                format, seed, regionId, zones, vpc, vswitches, instances, newEnis, newAnswers, newMade, newQuotas);
    }

    private static Map<String, EmulatedEni> put(Map<String, EmulatedEni> enis, String id, EmulatedEni eni) {
        Map<String, EmulatedEni> copy = new LinkedHashMap<>(enis);
        copy.put(id, eni);
        return copy;
    }
}
