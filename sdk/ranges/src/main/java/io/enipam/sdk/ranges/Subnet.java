package io.enipam.sdk.ranges;

import io.enipam.sdk.Family;
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

    public Family family() {
        return address.family();
    }

    public boolean contains(Ip other) {
        return first().compareTo(other) <= 0 && last().compareTo(other) >= 0;
    }

    /** Whether an address is in both: of two prefixes that overlap one is in the other. */
    public boolean overlaps(Subnet other) {
        return contains(other.first()) || other.contains(first());
    }

    /**
     * Whether no host has this address of the subnet: its lowest, and in IPv4 its highest, which is for broadcasts. In a subnet of two
     * addresses (RFC 3021, RFC 6164) and of one each is a host's.
     */
    public boolean isReserved(Ip ip) {
        boolean large = family().bits() - length > 1;
        return large && (ip.equals(first()) || (family() == Family.IPV4 && ip.equals(last())));
    }

    /**
     * One of the smaller subnets of the same length that this one is split into.
     *
     * @param partLength of their prefixes, not below this one's
     * @param index from 0 to one less than 2 to the power of the difference of the lengths
     */
    public Subnet part(int partLength, long index) {
        BigInteger offset = BigInteger.valueOf(index).shiftLeft(family().bits() - partLength);
        return new Subnet(new Ip(family(), first().value().add(offset)), partLength);
    }

    @Override
    public String toString() {
        return address + "/" + length;
    }
}
