package io.enipam.emulator.cloud;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
