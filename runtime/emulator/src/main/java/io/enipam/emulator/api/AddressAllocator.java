package io.enipam.emulator.api;

import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.VSwitch;
import io.enipam.emulator.cloud.VSwitch.Block;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Takes addresses and prefixes out of a vSwitch: named ones or any. What is taken here is used for the rest of the call, so that
 * one call never gets an address twice. Here are also the limits on the number of addresses.
 */
final class AddressAllocator {
    /** IPv6 addresses in one call, and of an ENI that is not attached. */
    static final int MOST_IPV6 = 10;

    private static final int MOST_IPV4_DETACHED = 50;
    private static final int MOST_SECONDARY = 49;
    private static final int MOST_PREFIXES = 10;

    private final VSwitch vswitch;
    private final Set<String> used;

    private final int elsewhere;

    /** @param elsewhere how many of its addresses are taken beside the used ones, whichever these are */
    AddressAllocator(VSwitch vswitch, Set<String> used, int elsewhere) {
        this.vswitch = vswitch;
        this.used = new HashSet<>(used);
        this.elsewhere = elsewhere;
    }

    /** The secondary addresses or prefixes that a call gets. */
    record Asked(List<String> secondaries, List<String> prefixes) {}

    /** Takes what the call asks for beside a primary address; it may name so many addresses. */
    Asked asked(Params params, int mostNamed) {
        List<String> named = params.list("PrivateIpAddress", mostNamed);
        List<String> prefixes = params.list("Ipv4Prefix", MOST_PREFIXES);
        int count = params.integer("SecondaryPrivateIpAddressCount", 1, MOST_SECONDARY)
                .orElse(0);
        int prefixCount = params.integer("Ipv4PrefixCount", 1, MOST_PREFIXES).orElse(0);
        refuseBoth("PrivateIpAddress.N", !named.isEmpty(), "SecondaryPrivateIpAddressCount", count > 0);
        refuseBoth("Ipv4Prefix.N", !prefixes.isEmpty(), "Ipv4PrefixCount", prefixCount > 0);
        refuseBoth(
                "PrivateIpAddress",
                !named.isEmpty() || count > 0,
                "Ipv4Prefix",
                !prefixes.isEmpty() || prefixCount > 0);
        refuseRepeated(named);
        List<String> secondaries =
                named.isEmpty() ? any(count) : named.stream().map(this::named).toList();
        return new Asked(secondaries, prefixes.isEmpty() ? anyPrefixes(prefixCount) : namedPrefixes(prefixes));
    }

    String named(String address) {
        if (!vswitch.offers(address)) {
            throw ApiError.IP_INVALID.with(address);
        }
        take(address);
        return address;
    }

    /** Any addresses, as many as asked or none at all. */
    List<String> any(int count) {
        List<String> found = requireCount(vswitch.ipv4().free(count, used), count, 1);
        used.addAll(found);
        return found;
    }

    private List<String> anyPrefixes(int count) {
        List<String> found = requireCount(vswitch.freePrefixes(count, used), count, VSwitch.PREFIX_ADDRESSES);
        found.forEach(prefix -> used.addAll(VSwitch.expand(prefix)));
        return found;
    }

    private List<String> namedPrefixes(List<String> prefixes) {
        refuseRepeated(prefixes);
        for (String prefix : prefixes) {
            if (!vswitch.offersPrefix(prefix)) {
                throw ApiError.IP_INVALID.with(prefix);
            }
            VSwitch.expand(prefix).forEach(this::take);
        }
        return prefixes;
    }

    private void take(String address) {
        if (!used.add(address)) {
            throw ApiError.IP_ASSIGNED.with(address);
        }
    }

    private List<String> requireCount(List<String> found, int count, int size) {
        boolean over = elsewhere > 0 && used.size() + count * size > vswitch.capacity() - elsewhere;
        if (found.size() < count || count > 0 && over) {
            throw ApiError.IP_NOT_ENOUGH.with(vswitch.id());
        }
        return found;
    }

    /**
     * The IPv6 addresses a call asks for; none if it asks for none. Throws ApiError.ApiException if the vSwitch has no
     * IPv6, or an address is not free.
     */
    static List<String> ipv6(Params params, VSwitch vswitch, Set<String> used) {
        for (String prefix : List.of("Ipv6PrefixCount", "Ipv6Prefix.1")) {
            if (params.get(prefix).isPresent()) {
                throw ApiError.UNSUPPORTED_PARAMETER.with(prefix);
            }
        }
        List<String> named = params.list("Ipv6Address", MOST_IPV6);
        int count = params.integer("Ipv6AddressCount", 1, MOST_IPV6).orElse(0);
        refuseBoth("Ipv6Address.N", !named.isEmpty(), "Ipv6AddressCount", count > 0);
        if (named.isEmpty() && count == 0) {
            return List.of();
        }
        Block block = vswitch.ipv6().orElseThrow(() -> ApiError.IPV6_NOT_ON.with(vswitch.id()));
        if (named.isEmpty()) {
            return block.free(count, used);
        }
        Set<String> taken = new LinkedHashSet<>();
        for (String address : named) {
            String plain = block.offered(address).orElseThrow(() -> ApiError.IP_INVALID.with(address));
            if (used.contains(plain)) {
                throw ApiError.IP_ASSIGNED.with(address);
            }
            if (!taken.add(plain)) {
                throw ApiError.IP_REPEATED.with(address);
            }
        }
        return new ArrayList<>(taken);
    }

    static void refuseRepeated(List<String> addresses) {
        Set<String> seen = new HashSet<>();
        for (String address : addresses) {
            if (!seen.add(address)) {
                throw ApiError.IP_REPEATED.with(address);
            }
        }
    }

    /** Fails if the VPC would have more addresses than the account may have. */
    static void requireWithinQuota(CloudState after) {
        int quota = after.quotas().privateIps();
        if (after.privateIps() > quota) {
            throw ApiError.PRIVATE_IP_QUOTA.with(quota);
        }
    }

    /** Fails if the ENI has more addresses than the type of its instance allows, or fixed numbers while it has none. */
    static void requireWithinLimits(EmulatedEni eni, CloudState state) {
        requireWithinLimits(
                eni, eni.attachment().instanceId().flatMap(state::instance).map(state::typeOf));
    }

    /** Fails if the ENI has more addresses than an instance of the type allows. */
    static void requireWithinLimits(EmulatedEni eni, Optional<InstanceType> type) {
        if (eni.ipv4Count() > type.map(InstanceType::ipv4PerEni).orElse(MOST_IPV4_DETACHED)) {
            throw ApiError.IPV4_COUNT_EXCEEDED.with();
        }
        if (eni.ips().ipv6s().size() > type.map(InstanceType::ipv6PerEni).orElse(MOST_IPV6)) {
            throw ApiError.IPV6_COUNT_EXCEEDED.with();
        }
    }

    private static void refuseBoth(String one, boolean hasOne, String other, boolean hasOther) {
        if (hasOne && hasOther) {
            throw ApiError.CONFLICTING_PARAMETERS.with(one, other);
        }
    }
}
