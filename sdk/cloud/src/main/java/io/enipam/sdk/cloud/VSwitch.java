package io.enipam.sdk.cloud;

import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

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
        InetAddress first = Address.literal(cidr.substring(0, cidr.indexOf('/')));
        long hosts = (1L << (32 - prefixLength())) - 1;
        int gateway = (int) ((ByteBuffer.wrap(first.getAddress()).getInt() | hosts) - 2);
        try {
            return InetAddress.getByAddress(
                    ByteBuffer.allocate(Integer.BYTES).putInt(gateway).array());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
