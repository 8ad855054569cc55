package io.enipam.sdk.ranges;

import io.enipam.sdk.Family;
import java.math.BigInteger;
import java.util.Optional;

/**
 * Consecutive addresses of one subnet, as CNI's host-local plugin has them. Immutable.
 *
 * @param subnet without host bits
 * @param start the first address
 * @param end the last one, not before the first
 * @param gateway need not be of the subnet
 */
public record IpRange(Subnet subnet, Ip start, Ip end, Ip gateway) {
    private static final int LEAST_HOST_BITS = 2;

    /**
     * Completes and checks a range: without a gateway that is the subnet's first address behind its own; a range begins there,
     * too, and ends with the subnet's last address, in IPv4 before the broadcast address.
     *
     * @throws IllegalArgumentException in the words of host-local: the subnet is too small or has host bits, or start or end are
     *     not in the network, or are in the wrong order
     */
    public static IpRange of(Optional<Subnet> subnet, Optional<Ip> start, Optional<Ip> end, Optional<Ip> gateway) {
        Subnet written = subnet.orElseThrow(() -> new IllegalArgumentException("IP <nil> not v4 nor v6"));
        Family family = written.address().family();
        if (written.length() > family.bits() - LEAST_HOST_BITS) {
            throw new IllegalArgumentException("Network " + written + " too small to allocate from");
        }
        Subnet network = written.network();
        if (!network.equals(written)) {
            throw new IllegalArgumentException("Network has host bits set. For a subnet mask of length "
                    + written.length() + " the network address is " + network.address());
        }
        Ip first = new Ip(family, network.first().value().add(BigInteger.ONE));
        Ip last = family == Family.IPV4
                ? new Ip(family, network.last().value().subtract(BigInteger.ONE))
                : network.last();
        start.filter(ip -> !network.contains(ip)
                        || end.filter(to -> ip.compareTo(to) > 0).isPresent())
                .ifPresent(ip -> {
                    throw new IllegalArgumentException("RangeStart " + ip + " not in network " + network);
                });
        Ip from = start.orElse(first);
        end.filter(ip -> !network.contains(ip) || ip.compareTo(from) < 0).ifPresent(ip -> {
            throw new IllegalArgumentException("RangeEnd " + ip + " not in network " + network);
        });
        return new IpRange(network, from, end.orElse(last), gateway.orElse(first));
    }

    /** Whether an address lies between start and end. */
    public boolean contains(Ip ip) {
        return subnet.contains(ip) && start.compareTo(ip) <= 0 && end.compareTo(ip) >= 0;
    }

    /** Whether one address is in both. */
    public boolean overlaps(IpRange other) {
        return contains(other.start) || contains(other.end) || other.contains(start) || other.contains(end);
    }

    /** How many addresses can be given: all but the gateway. */
    public BigInteger size() {
        BigInteger all = end.value().subtract(start.value()).add(BigInteger.ONE);
        return contains(gateway) ? all.subtract(BigInteger.ONE) : all;
    }

    /** {@code START-END}. */
    @Override
    public String toString() {
        return start + "-" + end;
    }
}
