package io.enipam.sdk.cloud;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A subnet of the VPC in one zone.
 *
 * @param cidr its IPv4 range, such as {@code 10.0.1.0/24}
 * @param ipv6Cidr its IPv6 range, or empty text if it has none
 * @param available free IPv4 addresses, as the cloud counted them just now; those of a prefix have to be in one block
 */
public record VSwitch(String id, String zone, String cidr, String ipv6Cidr, long available) {
    /** The length of the IPv4 range's prefix, 0 to 32. */
    public int prefixLength() {
        return Integer.parseInt(cidr.substring(cidr.indexOf('/') + 1));
    }

    /** The IPv4 gateway: the broadcast address minus two, as ECS has it. */
    public InetAddress gateway() {
        try {
            // a literal, so that no name is resolved
            byte[] first =
                    InetAddress.getByName(cidr.substring(0, cidr.indexOf('/'))).getAddress();
            BigInteger host = BigInteger.ONE.shiftLeft(32 - prefixLength()).subtract(BigInteger.ONE);
            BigInteger gateway = new BigInteger(1, first).or(host).subtract(BigInteger.TWO);
            byte[] bytes = new byte[first.length];
            for (int i = bytes.length - 1; i >= 0; i--, gateway = gateway.shiftRight(8)) {
                bytes[i] = gateway.byteValue();
            }
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("vSwitch " + id + " has the range " + cidr, e);
        }
    }
}
