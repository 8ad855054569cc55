package io.enipam.daemon.terway;

import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** IPv4 arithmetic that the contract needs. */
final class Ipv4 {
    private static final int BITS = 32;

    private Ipv4() {}

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
