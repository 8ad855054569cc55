package io.enipam.sdk;

import java.net.InetAddress;
import java.util.Optional;

/**
 * An address with the length of its subnet's prefix, or a block of addresses: {@code 10.0.1.7/24}, {@code 10.0.1.0/24}.
 *
 * @param gateway of the subnet, of the same family; empty for none
 */
public record Prefix(Address address, Optional<InetAddress> gateway) {
    /** Without a gateway, read as {@link Address#parse} does. */
    public static Prefix of(String address) {
        return new Prefix(Address.parse(address), Optional.empty());
    }

    public Prefix withGateway(String literal) {
        return new Prefix(address, Optional.of(Address.literal(literal)));
    }
}
