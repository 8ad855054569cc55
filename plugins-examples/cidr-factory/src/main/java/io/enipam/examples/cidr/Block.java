package io.enipam.examples.cidr;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressSeqRange;
import io.enipam.sdk.Family;
import java.util.Optional;

/**
 * Consecutive addresses as they were written, with the subnet they are of, if it is known.
 *
 * <p>{@code 10.0.0.0/24} is all of a subnet, {@code 10.0.0.10-10.0.0.20/24} is a part of one,
 * {@code 10.0.0.10-10.0.0.20} is just these addresses, each a host of its own.
 *
 * @param text as written
 * @param addresses first to last, of one family
 * @param subnet the prefix block around them
 */
record Block(String text, IPAddressSeqRange addresses, Optional<IPAddress> subnet) {
    /**
     * Reads {@code ADDRESS}, {@code ADDRESS/LENGTH}, {@code FIRST-LAST} or {@code FIRST-LAST/LENGTH}.
     *
     * @throws IllegalArgumentException with a message for operators
     */
    static Block parse(String text) {
        int slash = text.indexOf('/');
        String ends = slash < 0 ? text : text.substring(0, slash);
        int dash = ends.indexOf('-');
        IPAddress first = IpText.address(dash < 0 ? ends : ends.substring(0, dash));
        IPAddress last = dash < 0 ? first : IpText.address(ends.substring(dash + 1));
        if (IpText.family(first) != IpText.family(last)) {
            throw new IllegalArgumentException("'" + text + "' begins in one address family and ends in the other");
        }
        if (first.compareTo(last) > 0) {
            throw new IllegalArgumentException("'" + text + "' ends before it begins");
        }
        if (slash < 0) {
            return new Block(text, first.spanWithRange(last), Optional.empty());
        }
        IPAddress subnet = first.toPrefixBlock(length(text, slash, first.getBitCount()));
        if (dash >= 0) {
            if (!subnet.contains(last)) {
                throw new IllegalArgumentException("'" + text + "' reaches beyond its subnet " + show(subnet));
            }
            return new Block(text, first.spanWithRange(last), Optional.of(subnet));
        }
        if (!IpText.show(subnet.getLower()).equals(IpText.show(first))) {
            throw new IllegalArgumentException(
                    "'" + text + "' is an address within a subnet; the subnet is " + show(subnet));
        }
        return new Block(text, subnet.toSequentialRange(), Optional.of(subnet));
    }

    Family family() {
        return addresses.isIPv4() ? Family.IPV4 : Family.IPV6;
    }

    /** The prefix length of its addresses: the subnet's, or that of a host. */
    int prefixLength() {
        return subnet.map(IPAddress::getPrefixLength).orElse(family().bits());
    }

    /**
     * The subnet where it has addresses that are no host's: all but point-to-point links (/31 of RFC 3021, /127 of RFC
     * 6164) and single hosts.
     */
    Optional<IPAddress> sharedSubnet() {
        return subnet.filter(s -> s.getPrefixLength() < family().bits() - 1);
    }

    /** Whether an address is of the subnet, or of the addresses where no subnet is known. */
    boolean reaches(IPAddress address) {
        return subnet.map(s -> s.contains(address)).orElseGet(() -> addresses.contains(address));
    }

    private static int length(String text, int slash, int bits) {
        int length = Integer.parseInt(text.substring(slash + 1));
        if (length > bits) {
            throw new IllegalArgumentException("'" + text + "' has a prefix longer than " + bits + " bits");
        }
        return length;
    }

    private static String show(IPAddress subnet) {
        return subnet.toCanonicalString();
    }
}
