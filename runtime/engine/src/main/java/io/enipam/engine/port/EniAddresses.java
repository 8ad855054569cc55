package io.enipam.engine.port;

import java.util.List;
import java.util.stream.Stream;

/**
 * The addresses of one ENI.
 *
 * @param primary its primary IPv4 address, or empty text while unknown
 * @param ipv4 all its IPv4 addresses, the primary one included
 * @param ipv6 all its IPv6 addresses, in canonical text; empty where pods have none
 */
public record EniAddresses(String primary, List<String> ipv4, List<String> ipv6) {
    public EniAddresses {
        ipv4 = List.copyOf(ipv4);
        ipv6 = List.copyOf(ipv6);
    }

    /** Addresses without IPv6. */
    public EniAddresses(String primary, List<String> ipv4) {
        this(primary, ipv4, List.of());
    }

    /** The addresses of both families, IPv4 first. */
    public List<String> all() {
        return Stream.concat(ipv4.stream(), ipv6.stream()).toList();
    }
}
