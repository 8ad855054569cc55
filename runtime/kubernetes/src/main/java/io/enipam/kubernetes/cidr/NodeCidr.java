package io.enipam.kubernetes.cidr;

import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The IPv4 subnet of one node, and its addresses for pods: all but the network address, the gateway's, which is the
 * first one, and the broadcast address. An address's number is its distance from the network address.
 *
 * @param network the first address, as an unsigned number in 32 bits
 * @param length of the prefix, 12 to 30: a larger subnet is implausible for a node, a smaller one has no address for a
 *     pod
 */
public record NodeCidr(int network, int length) {
    private static final int SHORTEST = 12;
    private static final int LONGEST = 30;
    private static final int BITS = Integer.SIZE;

    /** The number of the first address for pods. */
    static final int FIRST = 2;

    public NodeCidr {
        if (length < SHORTEST || length > LONGEST) {
            throw new IllegalArgumentException(
                    "a node's CIDR has a prefix of " + SHORTEST + " to " + LONGEST + " bits, not of " + length);
        }
        if ((network & ((1 << (BITS - length)) - 1)) != 0) {
            throw new IllegalArgumentException(
                    text(network) + "/" + length + " is an address within a subnet, and none itself");
        }
    }

    /**
     * Reads {@code 10.0.1.0/24}.
     *
     * @throws IllegalArgumentException if the text is no such subnet; the message is meant for users
     */
    public static NodeCidr parse(String text) {
        Address address = Address.parse(text);
        byte[] bytes = address.ip().getAddress();
        if (bytes.length != BITS / Byte.SIZE) {
            throw new IllegalArgumentException(text + " is no IPv4 subnet");
        }
        return new NodeCidr(ByteBuffer.wrap(bytes).getInt(), address.prefixLength());
    }

    /** The number of addresses for pods. */
    public int capacity() {
        return last() - FIRST + 1;
    }

    /** The number of the last address for pods. */
    int last() {
        return (1 << (BITS - length)) - 2;
    }

    String gateway() {
        return text(network + 1);
    }

    Address address(int number) {
        return Address.parse(text(network + number) + "/" + length);
    }

    /** Whether a pod can have an address; the address's own prefix length is ignored. */
    public boolean contains(Address address) {
        int number = number(address);
        return number >= FIRST && number <= last();
    }

    /** The number of an address; outside of the subnet it is that of no pod's address. */
    int number(Address address) {
        byte[] bytes = address.ip().getAddress();
        if (bytes.length != BITS / Byte.SIZE) {
            return -1;
        }
        int number = ByteBuffer.wrap(bytes).getInt();
        return (number ^ network) >>> (BITS - length) == 0 ? number - network : -1;
    }

    private static String text(int address) {
        try {
            byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(address).array();
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    @Override
    public String toString() {
        return text(network) + "/" + length;
    }
}
