package io.enipam.kubernetes.cidr;

import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * An IPv4 subnet that one node has, and which of its addresses pods can have: all but the network's own, the gateway's, which is the
 * first one, and the broadcast's. Addresses have a number, which is their distance from the network's own.
 *
 * @param network the first address, as an unsigned number in 32 bits
 * @param length of the prefix, 12 to 30: a larger one is no node's, a smaller one has room for nobody
 */
public record NodeCidr(int network, int length) {
    private static final int SHORTEST = 12;
    private static final int LONGEST = 30;
    private static final int BITS = 32;

    /** The number of the first address that a pod can have. */
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
     * @throws IllegalArgumentException if it is none, with a message for people
     */
    public static NodeCidr parse(String text) {
        Address address = Address.parse(text);
        byte[] bytes = address.ip().getAddress();
        if (bytes.length != BITS / Byte.SIZE) {
            throw new IllegalArgumentException(text + " is no IPv4 subnet");
        }
        int network = 0;
        for (byte each : bytes) {
            network = network << Byte.SIZE | Byte.toUnsignedInt(each);
        }
        return new NodeCidr(network, address.prefixLength());
    }

    /** How many pods can have an address. */
    public int capacity() {
        return last() - FIRST + 1;
    }

    /** The number of the last address that a pod can have. */
    int last() {
        return (1 << (BITS - length)) - 2;
    }

    /** Where pods send what is not for the node. */
    String gateway() {
        return text(network + 1);
    }

    /** The address of a number. */
    Address address(int number) {
        return Address.parse(text(network + number) + "/" + length);
    }

    /** Whether a pod can have an address, in whatever subnet it says it is. */
    public boolean contains(Address address) {
        int number = number(address);
        return number >= FIRST && number <= last();
    }

    /** The number of an address; outside of the subnet it is none of ours. */
    int number(Address address) {
        byte[] bytes = address.ip().getAddress();
        if (bytes.length != BITS / Byte.SIZE) {
            return -1;
        }
        int number = 0;
        for (byte each : bytes) {
            number = number << Byte.SIZE | Byte.toUnsignedInt(each);
        }
        return (number ^ network) >>> (BITS - length) == 0 ? number - network : -1;
    }

    private static String text(int address) {
        try {
            return InetAddress.getByAddress(new byte[] {
                        (byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address
                    })
                    .getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    @Override
    public String toString() {
        return text(network) + "/" + length;
    }
}
