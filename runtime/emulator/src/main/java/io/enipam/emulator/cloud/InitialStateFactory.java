package io.enipam.emulator.cloud;

import inet.ipaddr.IPAddress;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.CloudState.Layout;
import io.enipam.emulator.cloud.CloudState.Quotas;
import io.enipam.emulator.cloud.CloudState.Vpc;
import io.enipam.emulator.cloud.EmulatedEni.Addresses;
import io.enipam.emulator.cloud.EmulatedEni.Attachment;
import io.enipam.emulator.cloud.EmulatedEni.Attributes;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import io.enipam.emulator.cloud.VSwitch.VSwitchSpec;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Makes the first state of a cloud: the VPC, its vSwitches, and instances with a primary ENI each. */
public final class InitialStateFactory {
    private static final int WIDEST_VPC_PREFIX = 16;
    private static final int WIDEST_IPV6_PREFIX = 56;
    /** More than an ENI may be in, so that clients can try. */
    private static final int SECURITY_GROUPS = 12;

    private InitialStateFactory() {}

    /**
     * Makes it. All ids come from the seed, so two clouds of one description are equal but for their dates.
     *
     * @param zones at least one; the instances are dealt out to them in turn, and live in the first vSwitch of their zone
     * @param types known instance types, one for each instance
     * @param vswitches at least one
     * @throws IllegalArgumentException if a zone has no vSwitch for its instances, or too small a one
     */
    public static CloudState create(
            long seed,
            String region,
            List<String> zones,
            List<String> types,
            List<VSwitchSpec> vswitches,
            Instant now) {
        List<VSwitch> subnets = vswitches.stream()
                .map(spec -> new VSwitch(
                        spec.id(), spec.cidr(), spec.ipv6Cidr(), spec.zone().orElse(zones.get(0))))
                .toList();
        Vpc vpc = vpc(seed, vswitches);
        Map<String, Deque<String>> free = new HashMap<>();
        List<Instance> instances = new ArrayList<>();
        Map<String, EmulatedEni> enis = new LinkedHashMap<>();
        for (int i = 0; i < types.size(); i++) {
            VSwitch home = home(zones.get(i % zones.size()), subnets);
            String ip = free.computeIfAbsent(
                            home.id(), first -> new ArrayDeque<>(home.ipv4().free(types.size(), Set.of())))
                    .poll();
            if (ip == null) {
                throw new IllegalArgumentException("vSwitch " + home.id() + " (" + home.cidr() + ") has "
                        + home.capacity() + " addresses for " + types.size() + " instances; give it a larger block");
            }
            String id = IdGenerator.resource(seed, "i", i);
            instances.add(new Instance(id, types.get(i), "node-" + i, home.id(), now));
            EmulatedEni primary = EmulatedEni.made(
                    seed,
                    i,
                    EniKind.PRIMARY,
                    now,
                    new Addresses(home.id(), ip, List.of(), List.of(), List.of()),
                    new Attributes(List.of(vpc.securityGroup()), Map.of(), "", "", true),
                    new Attachment(EniStatus.IN_USE, Optional.empty(), Optional.of(id), Optional.empty(), 0));
            enis.put(primary.id(), primary);
        }
        List<String> allZones = Stream.concat(zones.stream(), subnets.stream().map(VSwitch::zoneId))
                .distinct()
                .toList();
        Layout layout = new Layout(CloudState.FORMAT, seed, region, allZones, vpc, subnets, instances);
        return new CloudState(layout, enis, Map.of(), types.size(), Quotas.defaults(), List.of());
    }

    private static VSwitch home(String zone, List<VSwitch> subnets) {
        return subnets.stream()
                .filter(vswitch -> vswitch.zoneId().equals(zone))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "zone " + zone + " has no vSwitch for its instances; add one as ID@" + zone + "=CIDR"));
    }

    private static Vpc vpc(long seed, List<VSwitchSpec> vswitches) {
        List<String> groups = LongStream.range(0, SECURITY_GROUPS)
                .mapToObj(number -> IdGenerator.resource(seed, "sg", number))
                .toList();
        String cidr = covering(vswitches.stream().map(VSwitchSpec::block).toList(), WIDEST_VPC_PREFIX);
        List<IPAddress> sixes =
                vswitches.stream().flatMap(spec -> spec.ipv6Block().stream()).toList();
        return new Vpc(
                IdGenerator.resource(seed, "vpc", 0),
                cidr,
                sixes.isEmpty() ? Optional.empty() : Optional.of(covering(sixes, WIDEST_IPV6_PREFIX)),
                groups);
    }

    private static String covering(List<IPAddress> blocks, int widest) {
        IPAddress cover = blocks.get(0).coverWithPrefixBlock();
        for (IPAddress block : blocks) {
            cover = cover.coverWithPrefixBlock(block);
        }
        int prefix = Math.min(cover.getNetworkPrefixLength(), widest);
        return cover.setPrefixLength(prefix, false).toPrefixBlock(prefix).toCanonicalString();
    }
}
