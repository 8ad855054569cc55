package io.enipam.emulator.cloud;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Makes the first state of a cloud: the VPC, its vSwitches, and instances with a primary ENI each. */
public final class Genesis {
    private static final int WIDEST_VPC_PREFIX = 16;

    private Genesis() {}

    /**
     * Makes it. All ids come from the seed, so two clouds of one description are equal but for their dates.
     *
     * @param types known instance types, one for each instance
     * @param vswitches id to CIDR; instances live in the first
     * @throws IllegalArgumentException if the first vSwitch has fewer addresses than there are instances
     */
    public static CloudState create(
            long seed, String region, String zone, List<String> types, Map<String, String> vswitches, Instant now) {
        List<VSwitch> subnets = vswitches.entrySet().stream()
                .map(entry -> new VSwitch(entry.getKey(), entry.getValue(), zone))
                .toList();
        Vpc vpc = new Vpc(Ids.resource(seed, "vpc", 0), covering(vswitches.values()), Ids.resource(seed, "sg", 0));
        VSwitch home = subnets.get(0);
        List<String> ips = home.free(types.size(), Set.of());
        if (ips.size() < types.size()) {
            throw new IllegalArgumentException("vSwitch " + home.id() + " (" + home.cidr() + ") has " + ips.size()
                    + " addresses for " + types.size() + " instances; give it a larger block");
        }
        List<Instance> instances = new ArrayList<>();
        Map<String, Eni> enis = new LinkedHashMap<>();
        for (int i = 0; i < types.size(); i++) {
            String id = Ids.resource(seed, "i", i);
            instances.add(new Instance(id, types.get(i), "node-" + i, home.id(), now));
            Eni primary = primary(seed, i, home, ips.get(i), vpc, id, now);
            enis.put(primary.id(), primary);
        }
        return new CloudState(
                CloudState.FORMAT, seed, region, zone, vpc, subnets, instances, enis, Map.of(), types.size());
    }

    private static Eni primary(long seed, int number, VSwitch home, String ip, Vpc vpc, String instance, Instant now) {
        return new Eni(
                Ids.resource(seed, "eni", number),
                number,
                Ids.mac(seed, number),
                EniKind.PRIMARY,
                home.id(),
                ip,
                List.of(),
                List.of(vpc.securityGroup()),
                Map.of(),
                "",
                "",
                true,
                now,
                EniStatus.IN_USE,
                Optional.empty(),
                Optional.of(instance));
    }

    private static String covering(Iterable<String> cidrs) {
        List<IPAddress> blocks = new ArrayList<>();
        cidrs.forEach(cidr -> blocks.add(new IPAddressString(cidr).getAddress().toPrefixBlock()));
        IPAddress first = blocks.get(0);
        IPAddress cover = first.coverWithPrefixBlock();
        for (IPAddress block : blocks) {
            cover = cover.coverWithPrefixBlock(block);
        }
        int prefix = Math.min(cover.getNetworkPrefixLength(), WIDEST_VPC_PREFIX);
        return cover.setPrefixLength(prefix, false).toPrefixBlock(prefix).toCanonicalString();
    }
}
