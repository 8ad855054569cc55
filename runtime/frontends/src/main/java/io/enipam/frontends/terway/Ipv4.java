package io.enipam.frontends.terway;

import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** What the contract needs of IPv4, the one family it has. */
final class Ipv4 {
    private static final int BITS = 32;

    private Ipv4() {}

    /** The IPv4 address of a resource; empty if it has none. */
    static Optional<Address> of(Resource resource) {
        return resource.addresses().stream()
                .filter(address -> address.family() == Family.IPV4)
                .findFirst();
    }

    /** The subnet of an IPv4 address, as a CIDR: 10.0.1.0/24 of 10.0.1.7/24. */
    static String subnet(Address address) {
        byte[] bytes = address.ip().getAddress();
        for (int bit = address.prefixLength(); bit < BITS; bit++) {
            bytes[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
        }
        try {
            return InetAddress.getByAddress(bytes).getHostAddress() + "/" + address.prefixLength();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
