package io.enipam.examples.nodeipam.config;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Family;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the settings mean, checked as the controller manager checks its flags: the settings have the flags' names, and what is wrong
 * is reported in its words. Immutable.
 *
 * @param ranges the cluster CIDRs, in the order of {@code spec.podCIDRs}: one, or one of each family; none where the allocator does
 *     without
 * @param services the addresses of services, which no node gets
 * @param workers how many keys are reconciled at once
 * @param queue how many keys may wait before {@code doctor} says so
 * @param retries how often the patch of a node is tried in a row before its block is given up
 * @param routeTable of the cloud; empty text where there is none
 * @param warnings what is wrong and does not keep the controller from running, for an operator, one line each
 * @see <a href="https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/">the flags</a>
 */
public record Options(
        Type type,
        List<Range> ranges,
        List<Subnet> services,
        int workers,
        int queue,
        int retries,
        String routeTable,
        List<String> warnings) {
    private static final String CIDRS = "[^\\p{Cntrl}]{0,200}";

    static final Setting<List<String>> CLUSTER_CIDR = Setting.texts(
                    "cluster_cidr", "the CIDR of the pods, one of each family with dual stack", CIDRS, 10, List.of())
            .doc("What the nodes' blocks are cut from.");

    static final Setting<List<String>> SERVICE_CIDR = Setting.texts(
                    "service_cluster_ip_range", "the CIDRs of the services", CIDRS, 10, List.of())
            .doc("What is left out of the nodes' blocks.");

    static final Setting<Integer> MASK = Setting.wholeNumber("node_cidr_mask_size", 0, 128, 0)
            .doc("The length of a node's prefix in a cluster of one family; 0 for 24, or 64 with IPv6.");

    static final Setting<Integer> MASK_IPV4 = Setting.wholeNumber("node_cidr_mask_size_ipv4", 0, 32, 0)
            .doc("The length of a node's IPv4 prefix with dual stack; 0 for 24.");

    static final Setting<Integer> MASK_IPV6 = Setting.wholeNumber("node_cidr_mask_size_ipv6", 0, 128, 0)
            .doc("The length of a node's IPv6 prefix with dual stack; 0 for 64.");

    static final Setting<String> ALLOCATOR = Setting.text(
                    "cidr_allocator_type",
                    "RangeAllocator, MultiCIDRRangeAllocator, CloudAllocator, IPAMFromCluster or IPAMFromCloud",
                    "[A-Za-z0-9]{1,64}",
                    Type.RANGE.text)
            .doc("Who decides which block a node gets.");

    static final Setting<Integer> WORKERS =
            Setting.wholeNumber("workers", 1, 64, 30).unit("nodes").doc("How many nodes are dealt with at once.");

    static final Setting<Integer> QUEUE = Setting.wholeNumber("queue", 1, 1_000_000, 5_000)
            .unit("nodes")
            .doc("How many nodes may wait before doctor says that the workers do not keep up; none is lost.");

    static final Setting<Integer> RETRIES = Setting.wholeNumber("retries", 1, 100, 3)
            .doc("How often a node's block is written in a row before it is given up; tried again later, with an"
                    + " event.");

    static final Setting<String> ROUTE_TABLE = Setting.text(
                    "route_table", "the id of a route table", "[A-Za-z0-9-]{0,64}", "")
            .doc("The route table of the VPC that gets an entry for each node, with the allocators of the cloud.");

    /** All of them. */
    public static final List<Setting<?>> SETTINGS = List.of(
            CLUSTER_CIDR, SERVICE_CIDR, MASK, MASK_IPV4, MASK_IPV6, ALLOCATOR, WORKERS, QUEUE, RETRIES, ROUTE_TABLE);

    /** Who decides which block a node gets. */
    public enum Type {
        RANGE("RangeAllocator"),
        MULTI_CIDR("MultiCIDRRangeAllocator"),
        CLOUD("CloudAllocator"),
        FROM_CLUSTER("IPAMFromCluster"),
        FROM_CLOUD("IPAMFromCloud");

        private final String text;

        Type(String text) {
            this.text = text;
        }

        /** As the setting has it. */
        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * A cluster CIDR.
     *
     * @param cidr without host bits
     * @param blockLength length of a node's prefix
     */
    public record Range(Subnet cidr, int blockLength) {
        Family family() {
            return cidr.address().family();
        }
    }

    public Options {
        ranges = List.copyOf(ranges);
        services = List.copyOf(services);
        warnings = List.copyOf(warnings);
    }

    /** @throws FactoryException {@link ErrorKind#MISCONFIGURED} with the words of the controller manager */
    public static Options of(Settings settings) {
        Type type = Stream.of(Type.values())
                .filter(each -> each.text.equals(settings.get(ALLOCATOR)))
                .findFirst()
                .orElseThrow(() -> wrong("invalid CIDR allocator type: " + settings.get(ALLOCATOR)));
        List<String> warnings = new ArrayList<>();
        List<Range> ranges = type == Type.CLOUD ? List.of() : ranges(type, settings);
        List<Subnet> services = services(settings.get(SERVICE_CIDR), warnings);
        if (type == Type.FROM_CLUSTER || type == Type.FROM_CLOUD) {
            ranges.forEach(range -> requireRoom(range, services));
        }
        return new Options(
                type,
                ranges,
                services,
                settings.get(WORKERS),
                settings.get(QUEUE),
                settings.get(RETRIES),
                settings.get(ROUTE_TABLE),
                warnings);
    }

    private static List<Range> ranges(Type type, Settings settings) {
        List<String> texts = split(settings.get(CLUSTER_CIDR));
        if (texts.isEmpty() && type == Type.MULTI_CIDR) {
            return List.of(); // what there is comes from objects
        }
        List<Subnet> cidrs = new ArrayList<>();
        for (String text : texts.isEmpty() ? List.of("") : texts) {
            try {
                cidrs.add(Subnet.parse(text).network());
            } catch (IllegalArgumentException e) {
                throw wrong("failed to parse cidr value:\"" + text + "\" with error:" + e.getMessage());
            }
        }
        long families =
                cidrs.stream().map(cidr -> cidr.address().family()).distinct().count();
        if (cidrs.size() > 1 && families == 1) {
            throw wrong("len of ClusterCIDRs==" + cidrs.size()
                    + " and they are not configured as dual stack (at least one from each IPFamily)");
        }
        if (cidrs.size() > 2) {
            throw wrong("len of clusters is:" + cidrs.size() + " > more than max allowed of 2");
        }
        boolean dual = cidrs.size() == 2;
        if (dual && settings.get(MASK) != 0) {
            throw wrong("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
        }
        if (!dual && (settings.get(MASK_IPV4) != 0 || settings.get(MASK_IPV6) != 0)) {
            throw wrong("usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 are not allowed with non"
                    + " dual-stack clusters");
        }
        List<Range> ranges = cidrs.stream()
                .map(cidr -> new Range(cidr, blockLength(cidr.address().family(), dual, settings)))
                .toList();
        ranges.forEach(Options::check);
        return ranges;
    }

    private static List<String> split(List<String> texts) {
        return texts.stream()
                .flatMap(text -> Arrays.stream(text.split(",")))
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList();
    }

    private static int blockLength(Family family, boolean dual, Settings settings) {
        Setting<Integer> setting = !dual ? MASK : family == Family.IPV4 ? MASK_IPV4 : MASK_IPV6;
        int usual = family == Family.IPV4 ? 24 : 64;
        return Optional.of(settings.get(setting)).filter(length -> length != 0).orElse(usual);
    }

    private static void check(Range range) {
        if (range.blockLength() < range.cidr().length()) {
            throw wrong("Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to"
                    + " --node-cidr-mask-size configured for CIDR family");
        }
        try {
            BlockRange.check(range.cidr(), range.blockLength());
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private static void requireRoom(Range range, List<Subnet> services) {
        for (Subnet service : services) {
            if (service.address().family() != range.family()) {
                continue;
            }
            // a service's addresses take the whole of a block
            Subnet taken = new Subnet(service.address(), Math.min(service.length(), range.blockLength()));
            if (taken.length() <= range.cidr().length()
                    && taken.contains(range.cidr().first())) {
                throw wrong("no block is left of cluster CIDR " + range.cidr() + " beside services " + service);
            }
        }
    }

    private static List<Subnet> services(List<String> written, List<String> warnings) {
        List<Subnet> services = new ArrayList<>();
        for (String text : split(written)) {
            try {
                services.add(Subnet.parse(text).network());
            } catch (IllegalArgumentException e) {
                warnings.add("service_cluster_ip_range: " + text + " is left out: " + e.getMessage());
            }
        }
        long families = services.stream()
                .map(cidr -> cidr.address().family())
                .distinct()
                .count();
        if (services.size() > 2 || (services.size() == 2 && families == 1)) {
            throw wrong("serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
        }
        return services;
    }

    private static FactoryException wrong(String why) {
        return new FactoryException(ErrorKind.MISCONFIGURED, why);
    }
}
