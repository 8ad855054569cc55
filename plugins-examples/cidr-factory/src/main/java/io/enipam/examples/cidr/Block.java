package io.enipam.examples.cidr;

import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.Optional;

/**
 * Consecutive addresses as they were written, with the subnet they are of, if it is known.
 *
 * <p>{@code 10.0.0.0/24} is all of a subnet, {@code 10.0.0.10-10.0.0.20/24} is a part of one,
 * {@code 10.0.0.10-10.0.0.20} is just these addresses, each a host of its own.
 *
 * @param text as written
 * @param first the lowest address
 * @param last the highest, of the same family
 * @param subnet the prefix block around them
 */
record Block(String text, Ip first, Ip last, Optional<Subnet> subnet) {
    /**
     * Reads {@code ADDRESS}, {@code ADDRESS/LENGTH}, {@code FIRST-LAST} or {@code FIRST-LAST/LENGTH}.
     *
     * @throws IllegalArgumentException with a message for operators
     */
    static Block parse(String text) {
        int slash = text.indexOf('/');
        String ends = slash < 0 ? text : text.substring(0, slash);
        int dash = ends.indexOf('-');
        Ip first = IpText.address(dash < 0 ? ends : ends.substring(0, dash));
        Ip last = dash < 0 ? first : IpText.address(ends.substring(dash + 1));
        if (first.family() != last.family()) {
            throw new IllegalArgumentException("'" + text + "' begins in one address family and ends in the other");
        }
        if (first.compareTo(last) > 0) {
            throw new IllegalArgumentException("'" + text + "' ends before it begins");
        }
        if (slash < 0) {
            return new Block(text, first, last, Optional.empty());
        }
        Subnet subnet = new Subnet(first, length(text, slash, first.family().bits())).network();
        if (dash >= 0) {
            if (!subnet.contains(last)) {
                throw new IllegalArgumentException("'" + text + "' reaches beyond its subnet " + subnet);
            }
            return new Block(text, first, last, Optional.of(subnet));
        }
        if (!subnet.address().equals(first)) {
            throw new IllegalArgumentException("'" + text + "' is an address within a subnet; the subnet is " + subnet);
        }
        return new Block(text, first, subnet.last(), Optional.of(subnet));
    }

    Family family() {
        return first.family();
    }

    /** The prefix length of its addresses: the subnet's, or that of a host. */
    int prefixLength() {
        return subnet.map(Subnet::length).orElse(family().bits());
    }

    /**
     * The subnet where it has addresses that are no host's: all but point-to-point links (/31 of RFC 3021, /127 of RFC
     * 6164) and single hosts.
     */
    Optional<Subnet> sharedSubnet() {
        return subnet.filter(s -> s.length() < family().bits() - 1);
    }

    /** Whether an address is of the subnet, or of the addresses where no subnet is known. */
    boolean reaches(Ip address) {
        return subnet.map(s -> s.contains(address)).orElseGet(() -> contains(address));
    }

    boolean contains(Ip address) {
        return first.compareTo(address) <= 0 && last.compareTo(address) >= 0;
    }

    /** How many of its addresses are in a set. */
    BigInteger count(IpIntervals addresses) {
        return addresses.size(first, last);
    }

    private static int length(String text, int slash, int bits) {
        int length = Integer.parseInt(text.substring(slash + 1));
        if (length > bits) {
            throw new IllegalArgumentException("'" + text + "' has a prefix longer than " + bits + " bits");
        }
        return length;
    }
}
