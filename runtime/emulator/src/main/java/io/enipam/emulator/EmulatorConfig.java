package io.enipam.emulator;

import inet.ipaddr.IPAddress;
import io.enipam.emulator.cloud.CloudState.Quotas;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.cloud.VSwitch.VSwitchSpec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A cloud to emulate. If the state file exists, the saved region, zones, instances and vSwitches win over those given
 * here.
 *
 * @param listen where ECS and VPC answer; port 0 takes a free one
 * @param metadataListen where the metadata service of the first instance answers; those of the next instances answer on
 *     the ports after it, or all on free ones if it is 0
 * @param stateFile where the cloud's state is kept over a restart; empty: in memory alone
 */
public record EmulatorConfig(
        InetSocketAddress listen,
        InetSocketAddress metadataListen,
        Site site,
        AccessKey accessKey,
        Optional<Path> stateFile,
        Latency latency,
        long seed,
        Quotas quotas) {
    private static final int HIGHEST_PORT = 65_535;

    /**
     * What there is in the cloud.
     *
     * @param zones zone ids, at least one: the instances are dealt out to them in turn. More zones may be named by
     *     vSwitches
     * @param vswitches at least one, in order: {@code ID} or {@code ID@ZONE} to {@code CIDR} or {@code CIDR,IPV6CIDR},
     *     as {@link VSwitchSpec} reads it; blocks must not overlap; without a zone it is in the first one
     */
    public record Site(String region, List<String> zones, List<String> instanceTypes, Map<String, String> vswitches) {
        public Site {
            zones = List.copyOf(zones);
            instanceTypes = List.copyOf(instanceTypes);
            vswitches = Collections.unmodifiableMap(new LinkedHashMap<>(vswitches));
        }

        private void check(List<String> problems) {
            requireText("region", region, problems);
            if (zones.isEmpty()) {
                problems.add("there is no zone");
            }
            zones.forEach(zone -> requireText("zone", zone, problems));
            if (zones.stream().distinct().count() < zones.size()) {
                problems.add("a zone is named twice in " + zones);
            }
            checkTypes(instanceTypes, problems);
            checkVswitches(vswitches, problems);
            checkHomes(zones, instanceTypes.size(), specs(vswitches, new ArrayList<>()), problems);
        }
    }

    /** The account's key. The secret is never shown. */
    public record AccessKey(String id, String secret) {
        @Override
        public String toString() {
            return id + ":***";
        }
    }

    /** Checks everything at once. Throws IllegalArgumentException with every problem in its message. */
    public EmulatorConfig {
        List<String> problems = new ArrayList<>();
        for (InetSocketAddress address : List.of(listen, metadataListen)) {
            if (address.isUnresolved()) {
                problems.add("the host of " + address.getHostString() + ":" + address.getPort() + " is not known");
            }
        }
        int instances = site.instanceTypes.size();
        if (metadataListen.getPort() > 0 && metadataListen.getPort() + instances - 1 > HIGHEST_PORT) {
            problems.add("after port " + metadataListen.getPort() + " there are not enough ports for the metadata of "
                    + instances + " instances");
        }
        requireText("access key id", accessKey.id, problems);
        requireText("access key secret", accessKey.secret, problems);
        site.check(problems);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("the cloud cannot be made: " + String.join("; ", problems));
        }
    }

    /**
     * A small cloud for tests: free loopback ports, region cn-hangzhou, zone cn-hangzhou-i, one ecs.g7.xlarge, the vSwitch
     * {@code vsw-enipam0} of 10.0.0.0/24, key {@code testid} with secret {@code testsecret}, nothing kept, no latency,
     * seed 1.
     */
    public static EmulatorConfig defaults() {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new EmulatorConfig(
                anyPort,
                anyPort,
                new Site(
                        "cn-hangzhou",
                        List.of("cn-hangzhou-i"),
                        List.of("ecs.g7.xlarge"),
                        Map.of("vsw-enipam0", "10.0.0.0/24")),
                new AccessKey("testid", "testsecret"),
                Optional.empty(),
                Latency.NONE,
                1,
                Quotas.defaults());
    }

    public List<VSwitchSpec> vswitchSpecs() {
        return specs(site.vswitches, new ArrayList<>());
    }

    public EmulatorConfig withSite(Site other) {
        return new EmulatorConfig(listen, metadataListen, other, accessKey, stateFile, latency, seed, quotas);
    }

    public EmulatorConfig withAccessKey(String id, String secret) {
        AccessKey other = new AccessKey(id, secret);
        return new EmulatorConfig(listen, metadataListen, site, other, stateFile, latency, seed, quotas);
    }

    public EmulatorConfig withZones(String... zones) {
        return withSite(new Site(site.region, List.of(zones), site.instanceTypes, site.vswitches));
    }

    public EmulatorConfig withInstanceTypes(String... types) {
        return withSite(new Site(site.region, site.zones, List.of(types), site.vswitches));
    }

    public EmulatorConfig withVswitches(Map<String, String> cidrs) {
        return withSite(new Site(site.region, site.zones, site.instanceTypes, cidrs));
    }

    public EmulatorConfig withStateFile(Path file) {
        return new EmulatorConfig(listen, metadataListen, site, accessKey, Optional.of(file), latency, seed, quotas);
    }

    public EmulatorConfig withLatency(Latency other) {
        return new EmulatorConfig(listen, metadataListen, site, accessKey, stateFile, other, seed, quotas);
    }

    public EmulatorConfig withSeed(long other) {
        return new EmulatorConfig(listen, metadataListen, site, accessKey, stateFile, latency, other, quotas);
    }

    private static void requireText(String name, String value, List<String> problems) {
        if (value.isBlank()) {
            problems.add("the " + name + " is empty");
        }
    }

    private static void checkTypes(List<String> types, List<String> problems) {
        if (types.isEmpty()) {
            problems.add("there is no instance type");
        }
        for (String type : types) {
            if (InstanceType.find(type).isEmpty()) {
                problems.add("instance type " + type + " is unknown; known are "
                        + InstanceType.all().stream().map(InstanceType::id).toList());
            }
        }
    }

    private static void checkVswitches(Map<String, String> vswitches, List<String> problems) {
        if (vswitches.isEmpty()) {
            problems.add("there is no vSwitch");
        }
        List<VSwitchSpec> seen = new ArrayList<>();
        for (VSwitchSpec spec : specs(vswitches, problems)) {
            for (VSwitchSpec other : seen) {
                if (other.id().equals(spec.id())) {
                    problems.add("vSwitch " + spec.id() + " is there twice");
                }
                if (blocks(spec).anyMatch(block -> blocks(other).anyMatch(taken -> overlap(taken, block)))) {
                    problems.add("vSwitches " + other.id() + " and " + spec.id() + " overlap");
                }
            }
            seen.add(spec);
        }
    }

    private static void checkHomes(
            List<String> zones, int instances, List<VSwitchSpec> vswitches, List<String> problems) {
        for (String zone : zones.subList(0, Math.min(zones.size(), instances))) {
            boolean hasHome = vswitches.stream()
                    .anyMatch(spec -> spec.zone().orElse(zones.get(0)).equals(zone));
            if (!hasHome && !vswitches.isEmpty()) {
                problems.add("zone " + zone + " has no vSwitch for its instances; add one as ID@" + zone + "=CIDR");
            }
        }
    }

    private static boolean overlap(IPAddress one, IPAddress other) {
        return one.isIPv6() == other.isIPv6() && one.intersect(other) != null;
    }

    private static Stream<IPAddress> blocks(VSwitchSpec spec) {
        return Stream.concat(Stream.of(spec.block()), spec.ipv6Block().stream());
    }

    private static List<VSwitchSpec> specs(Map<String, String> vswitches, List<String> problems) {
        List<VSwitchSpec> specs = new ArrayList<>();
        vswitches.forEach((name, cidrs) -> {
            try {
                specs.add(VSwitchSpec.parse(name, cidrs));
            } catch (IllegalArgumentException wrong) {
                problems.add(wrong.getMessage());
            }
        });
        return specs;
    }
}
