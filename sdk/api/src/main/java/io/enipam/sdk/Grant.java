package io.enipam.sdk;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a {@link Claim} got.
 *
 * @param claim whose it is
 * @param prefixes 1 to 64, in the order in which the caller is told
 * @param attributes what else the allocator has to remember or tell, by name; at most 64
 */
public record Grant(
        ClaimId claim, List<Prefix> prefixes, List<Route> routes, Optional<Dns> dns, Map<String, String> attributes)
        implements Decision {
    private static final int MOST = 64;

    public Grant {
        prefixes = List.copyOf(prefixes);
        routes = List.copyOf(routes);
        attributes = Map.copyOf(new TreeMap<>(attributes));
        if (prefixes.isEmpty() || prefixes.size() > MOST || attributes.size() > MOST) {
            throw new IllegalArgumentException("a grant has 1 to 64 prefixes and up to 64 attributes, this one has "
                    + prefixes.size() + " and " + attributes.size());
        }
    }

    /** Prefixes, and nothing else. */
    public static Grant of(ClaimId claim, Prefix... prefixes) {
        return new Grant(claim, List.of(prefixes), List.of(), Optional.empty(), Map.of());
    }

    public Grant withRoutes(List<Route> added) {
        return new Grant(claim, prefixes, added, dns, attributes);
    }

    public Grant withDns(Dns resolver) {
        return new Grant(claim, prefixes, routes, Optional.of(resolver), attributes);
    }

    public Grant withAttributes(Map<String, String> known) {
        return new Grant(claim, prefixes, routes, dns, known);
    }
}
