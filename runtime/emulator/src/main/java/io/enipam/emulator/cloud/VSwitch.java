package io.enipam.emulator.cloud;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A subnet. Of its addresses the first and the last three belong to the cloud (the third from the end is the gateway's),
 * as the API document of CreateVSwitch says.
 *
 * @param id {@code vsw-...}
 * @param cidr IPv4 block, /16 to /29
 * @param ipv6Cidr IPv6 block of /64; empty if IPv6 is not turned on
 * @param zoneId the zone it is in
 */
public record VSwitch(String id, String cidr, Optional<String> ipv6Cidr, String zoneId) {
    /** How many addresses a prefix has that an ENI can be given. */
    static final int PREFIX_ADDRESSES = 16;

    private static final int PREFIX_LENGTH = 28;

    private static final int RESERVED_FIRST = 1;
    private static final int RESERVED_LAST = 3;

    /** A vSwitch without IPv6. */
    public VSwitch(String id, String cidr, String zoneId) {
        this(id, cidr, Optional.empty(), zoneId);
    }

    /** Its IPv6 side, if that is turned on. */
    public Optional<Ipv6Block> ipv6() {
        return ipv6Cidr.map(Ipv6Block::new);
    }

    /** Addresses that ENIs may have, used or not. */
    public int capacity() {
        return block().getCount().intValueExact() - RESERVED_FIRST - RESERVED_LAST;
    }

    /** Whether an ENI may have the address: inside the block and not reserved. Text that is not the plain form of an address is
     * not. */
    public boolean offers(String address) {
        IPAddress asked = new IPAddressString(address).getAddress();
        // one spelling for each address: they are compared as text
        if (asked == null
                || asked.isPrefixed()
                || !asked.toCanonicalString().equals(address)
                || !block().contains(asked)) {
            return false;
        }
        long offset = block().getLower().withoutPrefixLength().enumerate(asked).longValueExact();
        return offset >= RESERVED_FIRST && offset < RESERVED_FIRST + capacity();
    }

    /** The lowest {@code count} addresses that are free, or as many as there are. */
    public List<String> free(int count, Set<String> used) {
        IPAddress first = block().getLower().withoutPrefixLength();
        int end = RESERVED_FIRST + capacity();
        List<String> found = new ArrayList<>(count);
        for (int offset = RESERVED_FIRST; offset < end && found.size() < count; offset++) {
            String candidate = first.increment(offset).toCanonicalString();
            if (!used.contains(candidate)) {
                found.add(candidate);
            }
        }
        return found;
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
        if (block().getNetworkPrefixLength() > PREFIX_LENGTH) {
            return List.of();
        }
        List<String> found = new ArrayList<>(count);
        Predicate<String> free = address -> offers(address) && !used.contains(address);
        var blocks = block().setPrefixLength(PREFIX_LENGTH, false).prefixBlockIterator();
        while (blocks.hasNext() && found.size() < count) {
            String candidate = blocks.next().toCanonicalString();
            if (expand(candidate).stream().allMatch(free)) {
                found.add(candidate);
            }
        }
        return found;
    }

    /** The addresses of a prefix. */
    public static List<String> expand(String prefix) {
        IPAddress block = new IPAddressString(prefix).getAddress().toPrefixBlock();
        List<String> addresses = new ArrayList<>();
        for (IPAddress address : block.withoutPrefixLength().getIterable()) {
            addresses.add(address.toCanonicalString());
        }
        return addresses;
    }

    /** The address of the gateway: broadcast minus two. */
    public String gateway() {
        return block().getUpper().withoutPrefixLength().increment(-2).toCanonicalString();
    }

    /** Dotted mask. */
    public String netmask() {
        return block().getNetworkMask().withoutPrefixLength().toCanonicalString();
    }

    private IPAddress block() {
        return new IPAddressString(cidr).getAddress().toPrefixBlock();
    }

    /**
     * The IPv6 side of a vSwitch. Its first and its last nine addresses belong to the cloud.
     *
     * @param cidr an IPv6 block of /64
     */
    public record Ipv6Block(String cidr) {
        private static final BigInteger FIRST = BigInteger.ONE;
        private static final int RESERVED_LAST = 9;

        /** The one spelling of an address that an ENI may have, or empty if it may not have it. */
        public Optional<String> offered(String address) {
            IPAddress asked = new IPAddressString(address).getAddress();
            if (asked == null || !asked.isIPv6() || asked.isMultiple() || !block().contains(asked)) {
                return Optional.empty();
            }
            IPAddress plain = asked.withoutPrefixLength();
            BigInteger offset = lowest().enumerate(plain);
            boolean free = offset.compareTo(FIRST) >= 0
                    && offset.compareTo(block().getCount().subtract(BigInteger.valueOf(RESERVED_LAST))) < 0;
            return free ? Optional.of(plain.toCanonicalString()) : Optional.empty();
        }

        /** The lowest {@code count} addresses that are free; there are always enough. */
        public List<String> free(int count, Set<String> used) {
            List<String> found = new ArrayList<>(count);
            IPAddress candidate = lowest().increment(1);
            while (found.size() < count) {
                String text = candidate.toCanonicalString();
                if (!used.contains(text)) {
                    found.add(text);
                }
                candidate = candidate.increment(1);
            }
            return found;
        }

        /** The address of the gateway: the last one of the block but two, as in IPv4. */
        public String gateway() {
            return block().getUpper().withoutPrefixLength().increment(-2).toCanonicalString();
        }

        private IPAddress lowest() {
            return block().getLower().withoutPrefixLength();
        }

        private IPAddress block() {
            return new IPAddressString(cidr).getAddress().toPrefixBlock();
        }
    }
}
