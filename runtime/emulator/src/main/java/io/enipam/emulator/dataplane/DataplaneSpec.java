package io.enipam.emulator.dataplane;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the network is to be like.
 *
 * @param prefix how the names of its namespaces begin: {@code PREFIX-vpc}, {@code PREFIX-node-0}
 * @param routes the VPC's route table: a CIDR, in its canonical spelling, to the instance that it leads to, which is named
 *     by its id or its host name
 */
public record DataplaneSpec(String prefix, Map<String, String> routes) {
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,31}");

    /**
     * Checks it.
     *
     * @throws IllegalArgumentException if a name or a CIDR is none
     */
    public DataplaneSpec {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException("'" + prefix + "' begins no namespace's name: it is 1 to 32 letters,"
                    + " digits, dots and hyphens, and begins with a letter or a digit");
        }
        Map<String, String> canonical = new LinkedHashMap<>();
        routes.forEach((cidr, instance) -> {
            if (canonical.put(block(cidr), instance) != null) {
                throw new IllegalArgumentException("there are two routes to " + cidr);
            }
        });
        routes = Collections.unmodifiableMap(canonical);
    }

    private static String block(String cidr) {
        IPAddress block = new IPAddressString(cidr).getAddress();
        if (block == null || block.getNetworkPrefixLength() == null || !block.equals(block.toPrefixBlock())) {
            throw new IllegalArgumentException(
                    "the route to '" + cidr + "' leads nowhere: that is no CIDR, as in" + " 172.16.0.0/24");
        }
        return block.toPrefixBlock().toCanonicalString();
    }
}
