package io.enipam.emulator.cloud;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An instance type and its limits, as DescribeInstanceTypes reports them. On offer are a few families that differ in
 * what their ENIs allow. Beside them {@code ecs.imagined.ExA}, which no list shows, has E ENIs with A addresses each,
 * for tests of how far a client goes.
 *
 * @param id {@code ecs.<family>.<size>}
 * @param enis ENIs an instance may have, the primary one included
 * @param ipv4PerEni IPv4 addresses an ENI may have, its primary one included
 * @param totalEnis ENIs with the members of trunks included
 */
public record InstanceType(
        String id, int cpus, double memoryGib, int enis, int ipv4PerEni, int ipv6PerEni, int totalEnis, boolean trunk) {
    /** What every type says of its bandwidth, which the emulator does not limit: 10 Gbit/s. */
    public static final int BANDWIDTH_KBITS = 10_240_000;

    private static final List<InstanceType> ALL = List.of(
            new InstanceType("ecs.c6.xlarge", 4, 8, 3, 10, 1, 3, false),
            new InstanceType("ecs.c6.4xlarge", 16, 32, 8, 20, 1, 8, false),
            new InstanceType("ecs.ebmre7p.32xlarge", 128, 2048, 32, 15, 1, 32, false),
            new InstanceType("ecs.g6.large", 2, 8, 2, 6, 1, 2, false),
            new InstanceType("ecs.g6.16xlarge", 64, 256, 8, 20, 1, 60, true),
            new InstanceType("ecs.g7.large", 2, 8, 3, 6, 6, 3, false),
            new InstanceType("ecs.g7.xlarge", 4, 16, 4, 15, 15, 4, false),
            new InstanceType("ecs.g7.4xlarge", 16, 64, 8, 30, 30, 8, false),
            new InstanceType("ecs.t1.xsmall", 1, 0.5, 1, 1, 0, 1, false));

    private static final Pattern IMAGINED = Pattern.compile("ecs\\.imagined\\.([1-9][0-9]{0,2})x([1-9][0-9]{0,2})");

    /** {@code ecs.g7} of {@code ecs.g7.xlarge}. */
    public String family() {
        return id.substring(0, id.lastIndexOf('.'));
    }

    /** All of them, in a fixed order. */
    public static List<InstanceType> all() {
        return ALL;
    }

    public static Optional<InstanceType> find(String id) {
        return ALL.stream().filter(type -> type.id().equals(id)).findFirst().or(() -> imagined(id));
    }

    private static Optional<InstanceType> imagined(String id) {
        Matcher sizes = IMAGINED.matcher(id);
        if (!sizes.matches()) {
            return Optional.empty();
        }
        int enis = Integer.parseInt(sizes.group(1));
        int addresses = Integer.parseInt(sizes.group(2));
        return Optional.of(new InstanceType(id, 64, 256, enis, addresses, 1, enis, false));
    }
}
