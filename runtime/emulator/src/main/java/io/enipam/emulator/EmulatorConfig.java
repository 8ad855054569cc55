package io.enipam.emulator;

import inet.ipaddr.AddressStringException;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.InstanceTypes;
import io.enipam.emulator.cloud.Latency;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A cloud to emulate. If the state file exists, the saved region, zone, instances and vSwitches win over those given here.
 *
 * @param listen where ECS and VPC answer; port 0 takes a free one
 * @param metadataListen where the metadata service of the first instance answers; port 0 takes a free one
 * @param region region id
 * @param zone zone id
 * @param instanceTypes the type of each instance, at least one
 * @param vswitches vSwitch id to CIDR (IPv4, /16 to /29, not overlapping), at least one, in order
 * @param accessKeyId the account's key
 * @param accessKeySecret the account's secret; never shown
 * @param stateFile where the cloud's state is kept over a restart; empty: in memory alone
 * @param latency how long calls and state changes take
 * @param seed of everything random
 */
public record EmulatorConfig(
        InetSocketAddress listen,
        InetSocketAddress metadataListen,
        String region,
        String zone,
        List<String> instanceTypes,
        Map<String, String> vswitches,
        String accessKeyId,
        String accessKeySecret,
        Optional<Path> stateFile,
        Latency latency,
        long seed) {
    private static final int WIDEST_PREFIX = 16;
    private static final int NARROWEST_PREFIX = 29;

    /**
     * Checks everything at once.
     *
     * @throws IllegalArgumentException with every problem in its message
     */
    public EmulatorConfig {
        instanceTypes = List.copyOf(instanceTypes);
        vswitches = Collections.unmodifiableMap(new LinkedHashMap<>(vswitches));
        List<String> problems = new ArrayList<>();
        for (InetSocketAddress address : List.of(listen, metadataListen)) {
            if (address.isUnresolved()) {
                problems.add("the host of " + address.getHostString() + ":" + address.getPort() + " is not known");
            }
        }
        requireText("region", region, problems);
        requireText("zone", zone, problems);
        requireText("access key id", accessKeyId, problems);
        requireText("access key secret", accessKeySecret, problems);
        checkTypes(instanceTypes, problems);
        checkVswitches(vswitches, problems);
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
                "cn-hangzhou",
                "cn-hangzhou-i",
                List.of("ecs.g7.xlarge"),
                Map.of("vsw-enipam0", "10.0.0.0/24"),
                "testid",
                "testsecret",
                Optional.empty(),
                Latency.NONE,
                1);
    }

    /** The same on other addresses. */
    public EmulatorConfig withListen(InetSocketAddress newListen, InetSocketAddress newMetadataListen) {
        return new EmulatorConfig(
                newListen,
                newMetadataListen,
                region,
                zone,
                instanceTypes,
                vswitches,
                accessKeyId,
                accessKeySecret,
                stateFile,
                latency,
                seed);
    }

    /** The same with other instances. */
    public EmulatorConfig withInstanceTypes(String... types) {
        return with(List.of(types), vswitches, stateFile, latency, seed);
    }

    /** The same with other vSwitches. */
    public EmulatorConfig withVswitches(Map<String, String> cidrs) {
        return with(instanceTypes, cidrs, stateFile, latency, seed);
    }

    /** The same with its state kept in that file. */
    public EmulatorConfig withStateFile(Path file) {
        return with(instanceTypes, vswitches, Optional.of(file), latency, seed);
    }

    /** The same with other latencies. */
    public EmulatorConfig withLatency(Latency newLatency) {
        return with(instanceTypes, vswitches, stateFile, newLatency, seed);
    }

    /** The same with another seed. */
    public EmulatorConfig withSeed(long newSeed) {
        return with(instanceTypes, vswitches, stateFile, latency, newSeed);
    }

    @Override
    public String toString() {
        return "EmulatorConfig[listen=" + listen + ", metadataListen=" + metadataListen + ", region=" + region
                + ", zone=" + zone + ", instanceTypes=" + instanceTypes + ", vswitches=" + vswitches + ", accessKeyId="
                + accessKeyId + ", accessKeySecret=***, stateFile=" + stateFile + ", latency=" + latency + ", seed="
                + seed + "]";
    }

    private EmulatorConfig with(
            List<String> types, Map<String, String> cidrs, Optional<Path> file, Latency newLatency, long newSeed) {
        return new EmulatorConfig(
                listen,
                metadataListen,
                region,
                zone,
                types,
                cidrs,
                accessKeyId,
                accessKeySecret,
                file,
                newLatency,
                newSeed);
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
            if (InstanceTypes.find(type).isEmpty()) {
                problems.add("instance type " + type + " is unknown; known are "
                        + InstanceTypes.all().stream().map(InstanceType::id).toList());
            }
        }
    }

    private static void checkVswitches(Map<String, String> vswitches, List<String> problems) {
        if (vswitches.isEmpty()) {
            problems.add("there is no vSwitch");
        }
        Map<String, IPAddress> seen = new LinkedHashMap<>();
        vswitches.forEach((id, cidr) -> {
            requireText("vSwitch id", id, problems);
            Optional<IPAddress> block = block(cidr);
            if (block.isEmpty()) {
                problems.add("vSwitch " + id + ": " + cidr + " is not an IPv4 block of /" + WIDEST_PREFIX + " to /"
                        + NARROWEST_PREFIX);
                return;
            }
            seen.forEach((otherId, other) -> {
                if (other.intersect(block.get()) != null) {
                    problems.add("vSwitches " + otherId + " and " + id + " overlap");
                }
            });
            seen.put(id, block.get());
        });
    }

    private static Optional<IPAddress> block(String cidr) {
        try {
            IPAddress block = new IPAddressString(cidr).toAddress();
            Integer prefix = block == null ? null : block.getNetworkPrefixLength();
            boolean fits = block != null
                    && block.isIPv4()
                    && prefix != null
                    && prefix >= WIDEST_PREFIX
                    && prefix <= NARROWEST_PREFIX
                    && block.toPrefixBlock().toCanonicalString().equals(cidr);
            return fits ? Optional.of(block.toPrefixBlock()) : Optional.empty();
        } catch (AddressStringException noAddress) {
            return Optional.empty();
        }
    }
}
