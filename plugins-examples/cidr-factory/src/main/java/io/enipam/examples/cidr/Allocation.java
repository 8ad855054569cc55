package io.enipam.examples.cidr;

import inet.ipaddr.IPAddress;
import io.enipam.sdk.Address;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What one wish was given. It holds all that its resource says, so that it outlives the range it came from.
 *
 * @param token the wish
 * @param grants one per family, IPv4 first
 * @param since when it was given, to the second
 */
record Allocation(RequestToken token, List<Grant> grants, Instant since) {
    /** Attribute: the wish a resource was made for. An address is given again some day; this tells one lending from the next. */
    static final String TOKEN = "token";

    /** Attribute of a pair: IPv6's gateway, beside IPv4's, which is {@link Resource#GATEWAY}. */
    static final String GATEWAY_IPV6 = "gateway6";

    Allocation {
        grants = List.copyOf(grants);
    }

    /**
     * One address.
     *
     * @param prefixLength the subnet's
     */
    record Grant(IPAddress address, int prefixLength, Optional<IPAddress> gateway) {
        @Override
        public String toString() {
            return IpText.show(address) + "/" + prefixLength;
        }
    }

    /** {@code 10.64.0.7}, or {@code 10.64.0.7_fd00::7} for a pair: also the name of its file. */
    ResourceId id() {
        return new ResourceId(grants.stream().map(g -> IpText.show(g.address())).collect(Collectors.joining("_")));
    }

    Resource resource() {
        Map<String, String> attributes = new HashMap<>();
        attributes.put(TOKEN, token.value());
        for (Grant grant : grants) {
            grant.gateway().map(IpText::show).ifPresent(gateway -> {
                boolean second = grant != grants.get(0);
                attributes.put(second ? GATEWAY_IPV6 : Resource.GATEWAY, gateway);
            });
        }
        List<Address> addresses = grants.stream()
                .map(g -> new Address(g.address().toInetAddress(), g.prefixLength()))
                .toList();
        return new Resource(id(), CidrFactory.KIND, addresses, "", attributes);
    }
}
