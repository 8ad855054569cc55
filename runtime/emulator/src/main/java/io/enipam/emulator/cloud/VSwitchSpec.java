package io.enipam.emulator.cloud;

import inet.ipaddr.AddressStringException;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.util.Optional;

/**
 * How a vSwitch is described: {@code ID=CIDR}, {@code ID@ZONE=CIDR}, {@code ID=CIDR,IPV6CIDR}.
 *
 * @param id before the {@code @}
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
