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
    private static final Pattern IPV4 = Pattern.compile(PART + "(\\." + PART + "){3}");
    private static final Pattern GROUP = Pattern.compile("[0-9a-fA-F]{1,4}");
    private static final int GROUPS = 8;
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
        Optional<BigInteger> value =
                text.length() > LONGEST ? Optional.empty() : text.contains(":") ? six(text) : four(text);
        return value.map(known -> new Ip(text.contains(":") ? Family.IPV6 : Family.IPV4, known))
                .orElseThrow(() -> new IllegalArgumentException("invalid IP address: " + text));
    }

    private static Optional<BigInteger> four(String text) {
        if (!IPV4.matcher(text).matches()) {
            return Optional.empty();
        }
        long value = 0;
        for (String part : text.split("\\.")) {
            int number = Integer.parseInt(part);
            if (number > 0xff) {
                return Optional.empty();
            }
            value = value << Byte.SIZE | number;
        }
        return Optional.of(BigInteger.valueOf(value));
    }

    private static Optional<BigInteger> six(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return Optional.empty();
        }
        String before = gap < 0 ? text : text.substring(0, gap);
        String after = gap < 0 ? "" : text.substring(gap + 2);
        Optional<Groups> high = Groups.read(before, gap < 0);
        Optional<Groups> low = Groups.read(after, true);
        if (high.isEmpty() || low.isEmpty()) {
            return Optional.empty();
        }
        int count = high.get().count() + low.get().count();
        if (gap < 0 ? count != GROUPS : count >= GROUPS) {
            return Optional.empty();
        }
        int shift = (GROUPS - high.get().count()) * Short.SIZE;
        return Optional.of(high.get().value().shiftLeft(shift).or(low.get().value()));
    }

    /** Some groups of an IPv6 address, of which the last two may be written as an IPv4 address. */
    private record Groups(BigInteger value, int count) {
        static Optional<Groups> read(String text, boolean last) {
            if (text.isEmpty()) {
                return Optional.of(new Groups(BigInteger.ZERO, 0));
            }
            Groups read = new Groups(BigInteger.ZERO, 0);
            String[] parts = text.split(":", -1);
            for (int i = 0; i < parts.length; i++) {
                Optional<BigInteger> dotted = last && i == parts.length - 1 ? four(parts[i]) : Optional.empty();
                if (dotted.isEmpty() && !GROUP.matcher(parts[i]).matches()) {
                    return Optional.empty();
                }
                BigInteger value = dotted.orElseGet(() -> BigInteger.ZERO);
                read = dotted.isPresent() ? read.with(value, 2) : read.with(new BigInteger(parts[i], 16), 1);
            }
            return Optional.of(read);
        }

        private Groups with(BigInteger more, int groups) {
            return new Groups(value.shiftLeft(groups * Short.SIZE).or(more), count + groups);
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
