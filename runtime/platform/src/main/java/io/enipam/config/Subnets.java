package io.enipam.config;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses address ranges as users write them. */
public final class Subnets {
    private Subnets() {}

    /**
     * The addresses of services: an IPv4 subnet, an IPv6 one, or one of each separated by a comma.
     *
     * @return in canonical form, in their order; none for empty text
     * @throws IllegalArgumentException if it is anything else
     */
    static List<String> ofServices(String text) {
        List<IPAddress> all = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            IPAddress subnet = new IPAddressString(part.strip()).getAddress();
            if (subnet == null || subnet.getNetworkPrefixLength() == null || !subnet.isPrefixBlock()) {
                throw new IllegalArgumentException("not a subnet");
            }
            if (all.stream().anyMatch(other -> other.isIPv4() == subnet.isIPv4())) {
                throw new IllegalArgumentException("two of one family");
            }
            all.add(subnet);
        }
        return all.stream().map(IPAddress::toCanonicalString).toList();
    }

    /**
     * Whether two ranges have an address in common.
     *
     * @return empty if one of them is not a range
     */
    public static Optional<Boolean> overlap(String one, String other) {
        IPAddress first = new IPAddressString(one).getAddress();
        IPAddress second = new IPAddressString(other).getAddress();
        if (first == null || second == null) {
            return Optional.empty();
        }
        return Optional.of(
                first.isIPv4() == second.isIPv4() && first.toPrefixBlock().intersect(second.toPrefixBlock()) != null);
    }
}
