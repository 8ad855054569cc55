package io.enipam.sdk.ranges;

import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An IP address to compute with. Sorted by family, IPv4 first, then by value. Immutable.
 *
 * @param value from 0 to the family's highest
 */
public record Ip(Family family, BigInteger value) implements Comparable<Ip> {
    private static final String PART = "(0|[1-9][0-9]{0,2})";
    private static final String FOUR = PART + "(\\." + PART + "){3}";
    private static final Pattern IPV4 = Pattern.compile(FOUR);
    private static final String GROUP = "[0-9a-fA-F]{0,4}";

    /** The JDK reads more than that: groups of five digits, leading zeros, zones. Whether there are eight groups it knows. */
    private static final Pattern IPV6 = Pattern.compile("(" + GROUP + ":){2,8}(" + GROUP + "|" + FOUR + ")");

    private static final int LONGEST = 45;
    private static final BigInteger MAPPED = BigInteger.valueOf(0xffff);

    public Ip {
        if (value.signum() < 0 || value.bitLength() > family.bits()) {
            throw new IllegalArgumentException(value + " is no " + family + " address");
        }
    }

    public static Ip of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return new Ip(address instanceof Inet6Address ? Family.IPV6 : Family.IPV4, new BigInteger(1, bytes));
    }

    /**
     * Reads an address: IPv4 as four decimal numbers without leading zeros, IPv6 as RFC 4291 has it, without a zone. Never asks
     * DNS.
     *
     * @throws IllegalArgumentException if it is none: {@code invalid IP address: TEXT}
     */
    public static Ip parse(String text) {
        boolean six = text.contains(":");
        if (text.length() > LONGEST || !(six ? IPV6 : IPV4).matcher(text).matches()) {
            throw new IllegalArgumentException("invalid IP address: " + text);
        }
        try {
            Ip read = of(Address.literal(text));
            // the JDK has an IPv4-mapped address as the IPv4 address that it stands for
            return six && read.family == Family.IPV4
                    ? new Ip(Family.IPV6, MAPPED.shiftLeft(Integer.SIZE).or(read.value))
                    : read;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("invalid IP address: " + text, e);
        }
    }

    /** The IPv4 address that an IPv4-mapped IPv6 address ({@code ::ffff:10.0.0.1}) stands for; any other address is itself. */
    public Ip unmapped() {
        return family == Family.IPV6 && value.shiftRight(Integer.SIZE).equals(MAPPED)
                ? new Ip(Family.IPV4, BigInteger.valueOf(value.intValue() & 0xffffffffL))
                : this;
    }

    /** The address this many behind it, or before it for a negative number; empty where the family ends. */
    public Optional<Ip> plus(long more) {
        BigInteger sum = value.add(BigInteger.valueOf(more));
        return sum.signum() < 0 || sum.bitLength() > family.bits()
                ? Optional.empty()
                : Optional.of(new Ip(family, sum));
    }

    /** As the JDK has it. */
    public InetAddress inet() {
        byte[] wide = value.toByteArray();
        byte[] bytes = new byte[family.bits() / Byte.SIZE];
        int length = Math.min(wide.length, bytes.length);
        System.arraycopy(wide, wide.length - length, bytes, bytes.length - length, length);
        try {
            return family == Family.IPV6 ? Inet6Address.getByAddress(null, bytes, -1) : InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 or 16 bytes are an address", e);
        }
    }

    @Override
    public int compareTo(Ip other) {
        int families = family.compareTo(other.family);
        return families != 0 ? families : value.compareTo(other.value);
    }

    /** Canonical text, RFC 5952 for IPv6: the name of its file. */
    @Override
    public String toString() {
        return new Address(inet(), family.bits()).host();
    }
}
