package io.enipam.sdk.ranges;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address with the length of a prefix, as it is written; {@link #network} is the subnet it is of. Immutable.
 *
 * @param address may have host bits
 * @param length 0 to the family's number of bits
 */
public record Subnet(Ip address, int length) {
    private static final Pattern TEXT = Pattern.compile("([^/]{1,45})/(0|[1-9][0-9]{0,2})");

    public Subnet {
        if (length < 0 || length > address.family().bits()) {
            throw new IllegalArgumentException("a prefix of " + length + " bits is outside 0.."
                    + address.family().bits());
        }
    }

    /**
     * Reads {@code ADDRESS/LENGTH}.
     *
     * @throws IllegalArgumentException if it is none: {@code invalid CIDR address: TEXT}
     */
    public static Subnet parse(String text) {
        Matcher parts = TEXT.matcher(text);
        try {
            if (parts.matches()) {
                return new Subnet(Ip.parse(parts.group(1)), Integer.parseInt(parts.group(2)));
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("invalid CIDR address: " + text, e);
        }
        throw new IllegalArgumentException("invalid CIDR address: " + text);
    }

    /** The subnet without host bits. */
    public Subnet network() {
        return new Subnet(first(), length);
    }

    /** The lowest address of the subnet. */
    public Ip first() {
        return new Ip(address.family(), address.value().andNot(hostBits()));
    }

    /** The highest address of the subnet. */
    public Ip last() {
        return new Ip(address.family(), address.value().or(hostBits()));
    }

    private BigInteger hostBits() {
        return BigInteger.ONE.shiftLeft(address.family().bits() - length).subtract(BigInteger.ONE);
    }

    public boolean contains(Ip other) {
        return first().compareTo(other) <= 0 && last().compareTo(other) >= 0;
    }

    @Override
    public String toString() {
        return address + "/" + length;
    }
}
