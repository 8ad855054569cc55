package io.enipam.emulator.cloud;

import inet.ipaddr.AddressStringException;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * A subnet. Of its addresses the first and the last three belong to the cloud (the third from the end is the
 * gateway's), as the API document of CreateVSwitch says.
 *
 * @param cidr IPv4 block, /16 to /29
 * @param ipv6Cidr IPv6 block of /64; empty if IPv6 is not turned on
 */
public record VSwitch(String id, String cidr, Optional<String> ipv6Cidr, String zoneId) {
    /** How many addresses a prefix has that an ENI can be given. */
    public static final int PREFIX_ADDRESSES = 16;

    private static final int PREFIX_LENGTH = 28;
    private static final int RESERVED_IPV4 = 3;
    private static final int RESERVED_IPV6 = 9;

    public Block ipv4() {
        return new Block(cidr, RESERVED_IPV4);
    }

    public Optional<Block> ipv6() {
        return ipv6Cidr.map(block -> new Block(block, RESERVED_IPV6));
    }

    /** IPv4 addresses that ENIs may have, used or not. */
    public int capacity() {
        return ipv4().end().intValueExact() - 1;
    }

    /** Whether an ENI may have the IPv4 address, spelt like that: addresses are compared as text. */
    public boolean offers(String address) {
        return ipv4().offered(address).filter(address::equals).isPresent();
    }

    /** Whether an ENI may have the prefix: a /28 inside the block that holds no reserved address. */
    public boolean offersPrefix(String prefix) {
        IPAddress asked = new IPAddressString(prefix).getAddress();
        Integer length = asked == null ? null : asked.getNetworkPrefixLength();
        return asked != null
                && asked.isIPv4()
                && length != null
                && length == PREFIX_LENGTH
                && asked.toPrefixBlock().toCanonicalString().equals(prefix)
                && expand(prefix).stream().allMatch(this::offers);
    }

    /** The lowest {@code count} prefixes of which no address is used, or as many as there are. */
    public List<String> freePrefixes(int count, Set<String> used) {
        IPAddress block = ipv4().block();
        if (block.getNetworkPrefixLength() > PREFIX_LENGTH) {
            return List.of();
        }
        return block.setPrefixLength(PREFIX_LENGTH, false)
                .prefixBlockStream()
                .map(IPAddress::toCanonicalString)
                .filter(prefix -> expand(prefix).stream().allMatch(one -> offers(one) && !used.contains(one)))
                .limit(count)
                .toList();
    }

    public static List<String> expand(String prefix) {
        IPAddress block = new IPAddressString(prefix).getAddress().toPrefixBlock();
        List<String> addresses = new ArrayList<>();
        for (IPAddress address : block.withoutPrefixLength().getIterable()) {
            addresses.add(address.toCanonicalString());
        }
        return addresses;
    }

    public String netmask() {
        return ipv4().block().getNetworkMask().withoutPrefixLength().toCanonicalString();
    }

    /** One side of a vSwitch. Its first and its last {@code reservedLast} addresses belong to the cloud. */
    public record Block(String cidr, int reservedLast) {
        /** The one spelling of an address that an ENI may have, or empty if it may not have it. */
        public Optional<String> offered(String address) {
            IPAddress asked = new IPAddressString(address).getAddress();
            if (asked == null || asked.isMultiple() || !block().contains(asked)) {
                return Optional.empty();
            }
            IPAddress plain = asked.withoutPrefixLength();
            BigInteger offset = lowest().enumerate(plain);
            boolean free = offset.signum() > 0 && offset.compareTo(end()) < 0;
            return free ? Optional.of(plain.toCanonicalString()) : Optional.empty();
        }

        /** The lowest {@code count} addresses that are free, or as many as there are. */
        public List<String> free(int count, Set<String> used) {
            IPAddress lowest = lowest();
            long end = end().min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
            return LongStream.range(1, end)
                    .mapToObj(offset -> lowest.increment(offset).toCanonicalString())
                    .filter(address -> !used.contains(address))
                    .limit(count)
                    .toList();
        }

        /** The address of the gateway: the last one of the block but two. */
        public String gateway() {
            return block().getUpper().withoutPrefixLength().increment(-2).toCanonicalString();
        }

        /** Offset of the first reserved address at the end. */
        private BigInteger end() {
            return block().getCount().subtract(BigInteger.valueOf(reservedLast));
        }

        private IPAddress lowest() {
            return block().getLower().withoutPrefixLength();
        }

        private IPAddress block() {
            return new IPAddressString(cidr).getAddress().toPrefixBlock();
        }
    }

    /**
     * How a vSwitch is described: {@code ID=CIDR}, {@code ID@ZONE=CIDR}, {@code ID=CIDR,IPV6CIDR}.
     *
     * @param zone after the {@code @}; empty: the cloud's first zone
     * @param cidr IPv4 block, /16 to /29
     * @param ipv6Cidr IPv6 block of /64, in its canonical spelling; empty if there is no IPv6
     */
    public record VSwitchSpec(String id, Optional<String> zone, String cidr, Optional<String> ipv6Cidr) {
        private static final int WIDEST_PREFIX = 16;
        private static final int NARROWEST_PREFIX = 29;
        private static final int IPV6_PREFIX = 64;

        /** Reads a description. Throws IllegalArgumentException if it makes no sense, with a reason. */
        public static VSwitchSpec parse(String name, String cidrs) {
            int at = name.indexOf('@');
            String id = at < 0 ? name : name.substring(0, at);
            Optional<String> zone = at < 0 ? Optional.empty() : Optional.of(name.substring(at + 1));
            if (id.isBlank()) {
                throw new IllegalArgumentException("the vSwitch id is empty");
            }
            if (zone.filter(String::isBlank).isPresent()) {
                throw new IllegalArgumentException("vSwitch " + id + ": the zone after the @ is empty");
            }
            int comma = cidrs.indexOf(',');
            String cidr = comma < 0 ? cidrs : cidrs.substring(0, comma);
            if (block(cidr).filter(VSwitchSpec::isIpv4OfTheRightSize).isEmpty()) {
                throw new IllegalArgumentException("vSwitch " + id + ": " + cidr + " is not an IPv4 block of /"
                        + WIDEST_PREFIX + " to /" + NARROWEST_PREFIX);
            }
            Optional<String> ipv6 = comma < 0 ? Optional.empty() : Optional.of(cidrs.substring(comma + 1));
            return new VSwitchSpec(id, zone, cidr, ipv6.map(text -> ipv6(id, text)));
        }

        public IPAddress block() {
            return block(cidr).orElseThrow();
        }

        public Optional<IPAddress> ipv6Block() {
            return ipv6Cidr.flatMap(VSwitchSpec::block);
        }

        private static boolean isIpv4OfTheRightSize(IPAddress block) {
            int prefix = block.getNetworkPrefixLength();
            return block.isIPv4() && prefix >= WIDEST_PREFIX && prefix <= NARROWEST_PREFIX;
        }

        private static String ipv6(String id, String text) {
            return block(text)
                    .filter(block -> block.isIPv6() && block.getNetworkPrefixLength() == IPV6_PREFIX)
                    .map(IPAddress::toCanonicalString)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "vSwitch " + id + ": " + text + " is not an IPv6 block of /" + IPV6_PREFIX));
        }

        private static Optional<IPAddress> block(String cidr) {
            try {
                IPAddress block = new IPAddressString(cidr).toAddress();
                // nothing below the prefix: 10.0.0.1/24 is an address, not a block
                boolean whole = block != null
                        && block.getNetworkPrefixLength() != null
                        && cidr.indexOf('*') < 0
                        && block.equals(block.toPrefixBlock());
                return whole ? Optional.of(block.toPrefixBlock()) : Optional.empty();
            } catch (AddressStringException noAddress) {
                return Optional.empty();
            }
        }
    }
}
