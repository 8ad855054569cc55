package io.enipam.examples.cidr;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Family;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The configuration, checked as a whole: which ranges there are, and which addresses of them may be given. It is a few
 * intervals whatever the size of the ranges. Immutable; {@link #grantable} hands out copies.
 */
final class AddressPlan {
    /** What no pod can have, from the special-purpose registries of IANA (RFC 6890), with the name it has there. */
    private static final List<Map.Entry<Block, String>> SPECIAL = List.of(
            Map.entry(Block.parse("0.0.0.0/8"), "this network"),
            Map.entry(Block.parse("127.0.0.0/8"), "loopback"),
            Map.entry(Block.parse("224.0.0.0/4"), "multicast"),
            Map.entry(Block.parse("255.255.255.255"), "limited broadcast"),
            Map.entry(Block.parse("::-::1"), "unspecified and loopback"),
            Map.entry(Block.parse("::ffff:0:0/96"), "IPv4 in IPv6"),
            Map.entry(Block.parse("ff00::/8"), "multicast"));

    private final List<Range> ranges;
    private final Map<Family, IpIntervals> grantable;

    private AddressPlan(List<Range> ranges, Map<Family, IpIntervals> grantable) {
        this.ranges = List.copyOf(ranges);
        this.grantable = grantable;
    }

    /** @throws FactoryException {@link ErrorKind#MISCONFIGURED}, naming every problem */
    static AddressPlan of(Settings settings) {
        List<String> problems = new ArrayList<>();
        List<Block> blocks = parsed("ranges", settings.get(CidrSettings.RANGES), problems);
        List<Block> gateways = parsed("gateways", settings.get(CidrSettings.GATEWAYS), problems);
        List<Block> exclude = parsed("exclude", settings.get(CidrSettings.EXCLUDE), problems);
        if (settings.get(CidrSettings.RANGES).isEmpty()) {
            problems.add("ranges: there must be one, such as 10.64.0.0/24");
        }
        refuseOverlaps(blocks, problems);
        refuseSpecial(blocks, problems);
        List<Range> ranges = withGateways(blocks, gateways, problems);
        if (!problems.isEmpty()) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.join("; ", problems));
        }
        return new AddressPlan(ranges, grantable(ranges, exclude));
    }

    /** In the order of the configuration. */
    List<Range> ranges() {
        return ranges;
    }

    /** Per family with a range, all addresses that may ever be given. A fresh copy. */
    Map<Family, IpIntervals> grantable() {
        Map<Family, IpIntervals> copy = new EnumMap<>(Family.class);
        grantable.forEach((family, addresses) -> copy.put(family, new IpIntervals(addresses)));
        return copy;
    }

    /** Whether an address may ever be given. */
    boolean grants(Ip address) {
        IpIntervals addresses = grantable.get(address.family());
        return addresses != null && addresses.contains(address);
    }

    /** How many addresses of a range may ever be given. */
    BigInteger grantableIn(Range range) {
        return range.block()
                .count(Objects.requireNonNull(grantable.get(range.block().family())));
    }

    /** The range an address is of. */
    Optional<Range> rangeOf(Ip address) {
        return ranges.stream().filter(r -> r.contains(address)).findFirst();
    }

    private static List<Block> parsed(String setting, List<String> texts, List<String> problems) {
        List<Block> blocks = new ArrayList<>();
        for (String text : texts) {
            try {
                blocks.add(Block.parse(text));
            } catch (IllegalArgumentException e) {
                problems.add(setting + ": " + e.getMessage());
            }
        }
        return blocks;
    }

    private static void refuseOverlaps(List<Block> blocks, List<String> problems) {
        List<Block> ascending = blocks.stream()
                .sorted(Comparator.comparing(Block::family).thenComparing(Block::first))
                .toList();
        for (int i = 1; i < ascending.size(); i++) {
            Block before = ascending.get(i - 1);
            Block after = ascending.get(i);
            if (before.family() == after.family() && before.last().compareTo(after.first()) >= 0) {
                problems.add("ranges: " + before.text() + " and " + after.text() + " overlap");
            }
        }
    }

    private static void refuseSpecial(List<Block> blocks, List<String> problems) {
        for (Block block : blocks) {
            for (Map.Entry<Block, String> reserved : SPECIAL) {
                Block special = reserved.getKey();
                if (special.family() == block.family()
                        && special.first().compareTo(block.last()) <= 0
                        && block.first().compareTo(special.last()) <= 0) {
                    problems.add("ranges: " + block.text() + " has addresses no pod can have: " + special.text()
                            + " is " + reserved.getValue());
                }
            }
        }
    }

    private static List<Range> withGateways(List<Block> blocks, List<Block> gateways, List<String> problems) {
        for (Block gateway : gateways) {
            if (blocks.stream().noneMatch(b -> b.reaches(gateway.first()))) {
                problems.add("gateways: " + gateway.text() + " is of none of the ranges");
            }
        }
        List<Range> ranges = new ArrayList<>();
        for (Block block : blocks) {
            List<Ip> named =
                    gateways.stream().map(g -> g.first()).filter(block::reaches).toList();
            if (named.size() > 1) {
                problems.add("gateways: " + named.get(0) + " and " + named.get(1) + " are both of " + block.text());
            }
            named.stream()
                    .filter(g -> noHost(block, g))
                    .forEach(g -> problems.add("gateways: " + g + " is no host's address in " + block.text()));
            Optional<Ip> usual = block.sharedSubnet().map(s -> s.first().plus(1).orElseThrow());
            ranges.add(new Range(block, named.stream().findFirst().or(() -> usual)));
        }
        return ranges;
    }

    private static boolean noHost(Block block, Ip address) {
        return block.sharedSubnet()
                .filter(s -> address.equals(s.first()) || (address.family() == Family.IPV4 && address.equals(s.last())))
                .isPresent();
    }

    private static Map<Family, IpIntervals> grantable(List<Range> ranges, List<Block> exclude) {
        Map<Family, IpIntervals> grantable = new EnumMap<>(Family.class);
        for (Range range : ranges) {
            grantable
                    .computeIfAbsent(range.block().family(), f -> new IpIntervals())
                    .add(range.block().first(), range.block().last());
        }
        for (Range range : ranges) {
            IpIntervals family = grantable.get(range.block().family());
            range.gateway().ifPresent(family::remove);
            // IPv4's network and broadcast addresses; IPv6's subnet-router anycast address (RFC 4291, 2.6.1)
            range.block().sharedSubnet().ifPresent(subnet -> {
                family.remove(subnet.first());
                if (subnet.address().family() == Family.IPV4) {
                    family.remove(subnet.last());
                }
            });
        }
        for (Block excluded : exclude) {
            IpIntervals family = grantable.get(excluded.family());
            if (family != null) {
                family.remove(excluded.first(), excluded.last());
            }
        }
        return grantable;
    }

    /** What may be written under {@code plugins.cidr-factory}; {@link AddressPlan} checks how the values fit together. */
    static final class CidrSettings {
        private static final String IP = "[0-9a-fA-F:.]{2,45}";
        private static final String LENGTH = "(/[0-9]{1,3})?";

        static final Setting<List<String>> RANGES = Setting.texts(
                        "ranges",
                        "CIDRs such as 10.64.0.0/24, or FIRST-LAST, or FIRST-LAST/LENGTH",
                        IP + "(-" + IP + ")?" + LENGTH,
                        256,
                        List.of())
                .doc("Where addresses come from, IPv4 and IPv6.");

        static final Setting<List<String>> GATEWAYS = Setting.texts("gateways", "IP addresses", IP, 256, List.of())
                .doc("Gateways, each of the subnet that contains it; a subnet without one has its first usable"
                        + " address for it.");

        static final Setting<List<String>> EXCLUDE = Setting.texts(
                        "exclude", "addresses, CIDRs or FIRST-LAST", IP + "(-" + IP + ")?" + LENGTH, 4096, List.of())
                .doc("Addresses of the ranges that are never given.");

        static final String SEQUENTIAL = "sequential";
        static final String LOWEST = "lowest";

        static final Setting<String> ORDER = Setting.choice("order", List.of(SEQUENTIAL, LOWEST), SEQUENTIAL)
                .doc("Which free address is next: the one after the last given, wrapping round, or the lowest.");

        static final List<Setting<?>> ALL = List.of(RANGES, GATEWAYS, EXCLUDE, ORDER);

        private CidrSettings() {}
    }

    /**
     * One configured range.
     *
     * @param block its addresses
     * @param gateway where its pods send what is not for the subnet; never given itself
     */
    record Range(Block block, Optional<Ip> gateway) {
        boolean contains(Ip address) {
            return block.contains(address);
        }
    }
}
