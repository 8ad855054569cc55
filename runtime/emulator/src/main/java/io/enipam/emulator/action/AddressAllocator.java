package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes addresses and prefixes out of a vSwitch: named ones or any. What is taken here is used for the rest of the call, so that one
 * call never gets an address twice.
 */
final class AddressAllocator {
    private static final int MOST_SECONDARY = 49;
    private static final int MOST_PREFIXES = 10;

    private final VSwitch vswitch;
    private final Set<String> used;

    AddressAllocator(VSwitch vswitch, Set<String> used) {
        this.vswitch = vswitch;
        this.used = new HashSet<>(used);
    }

    /** What a call asks for beside a primary address: secondary addresses or prefixes. */
    record Asked(List<String> secondaries, List<String> prefixes) {
        boolean isNothing() {
            return secondaries.isEmpty() && prefixes.isEmpty();
        }
    }

    /**
     * Takes what the call asks for.
     *
     * @param mostNamed how many addresses a call of this action may name
     */
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
        return new Asked(
                named.isEmpty() ? any(count) : named(named),
                prefixes.isEmpty() ? anyPrefixes(prefixCount) : namedPrefixes(prefixes));
    }

    /** Fails if the VPC would have more addresses than the account may have. */
    static void refuseAboveQuota(CloudState after) {
        int quota = after.quotas().privateIps();
        if (after.privateIps() > quota) {
            throw new ApiException(ApiError.PRIVATE_IP_QUOTA, quota);
        }
    }

    /** That very address. */
    String named(String address) {
        if (!vswitch.offers(address)) {
            throw new ApiException(ApiError.IP_INVALID, address);
        }
        if (!used.add(address)) {
            throw new ApiException(ApiError.IP_ASSIGNED, address);
        }
        return address;
    }

    /** Any addresses, as many as asked or none at all. */
    List<String> any(int count) {
        List<String> found = vswitch.free(count, used);
        if (found.size() < count) {
            throw new ApiException(ApiError.IP_NOT_ENOUGH, vswitch.id());
        }
        used.addAll(found);
        return found;
    }

    /** Fails if an address is in the list twice. */
    static void refuseRepeated(List<String> addresses) {
        Set<String> seen = new HashSet<>();
        for (String address : addresses) {
            if (!seen.add(address)) {
                throw new ApiException(ApiError.IP_REPEATED, address);
            }
        }
    }

    /** Fails if a name is given twice or is not among those there are. */
    static void requireAll(List<String> names, List<String> present) {
        refuseRepeated(names);
        for (String name : names) {
            if (!present.contains(name)) {
                throw new ApiException(ApiError.IP_UNASSIGNED, name);
            }
        }
    }

    private static void refuseBoth(String one, boolean hasOne, String other, boolean hasOther) {
        if (hasOne && hasOther) {
            throw new ApiException(ApiError.CONFLICTING_PARAMETERS, one, other);
        }
    }

    private List<String> anyPrefixes(int count) {
        List<String> found = vswitch.freePrefixes(count, used);
        if (found.size() < count) {
            throw new ApiException(ApiError.IP_NOT_ENOUGH, vswitch.id());
        }
        found.forEach(prefix -> used.addAll(VSwitch.expand(prefix)));
        return found;
    }

    private List<String> namedPrefixes(List<String> prefixes) {
        refuseRepeated(prefixes);
        for (String prefix : prefixes) {
            if (!vswitch.offersPrefix(prefix)) {
                throw new ApiException(ApiError.IP_INVALID, prefix);
            }
            for (String address : VSwitch.expand(prefix)) {
                if (!used.add(address)) {
                    throw new ApiException(ApiError.IP_ASSIGNED, address);
                }
            }
        }
        return prefixes;
    }

    private List<String> named(List<String> addresses) {
        refuseRepeated(addresses);
        List<String> taken = new ArrayList<>();
        addresses.forEach(address -> taken.add(named(address)));
        return taken;
    }
}
