package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes addresses out of a vSwitch: named ones or any. What is taken here is used for the rest of the call, so that one
 * call never gets an address twice.
 */
final class Addresses {
    private static final int MOST_SECONDARY = 49;

    private final VSwitch vswitch;
    private final Set<String> used;

    Addresses(VSwitch vswitch, Set<String> used) {
        this.vswitch = vswitch;
        this.used = new HashSet<>(used);
    }

    /** Refuses what the emulator's vSwitches do not have: IPv6 and address prefixes. */
    static void refuseOtherKinds(Params params, VSwitch vswitch) {
        if (params.get("Ipv6AddressCount").isPresent()
                || !params.list("Ipv6Address", MOST_SECONDARY).isEmpty()) {
            throw new ApiException(ApiError.IPV6_NOT_ON, vswitch.id());
        }
        for (String prefixes : List.of("Ipv4Prefix", "Ipv6Prefix")) {
            if (params.get(prefixes + "Count").isPresent()
                    || !params.list(prefixes, MOST_SECONDARY).isEmpty()) {
                throw new ApiException(ApiError.UNSUPPORTED_PARAMETER, prefixes);
            }
        }
    }

    /** The secondary addresses a call asks for, by name or by number; none if it asks for none. */
    List<String> secondaries(Params params) {
        List<String> named = params.list("PrivateIpAddress", MOST_SECONDARY);
        int count = params.integer("SecondaryPrivateIpAddressCount", 1, MOST_SECONDARY)
                .orElse(0);
        if (!named.isEmpty() && count > 0) {
            throw new ApiException(
                    ApiError.CONFLICTING_PARAMETERS, "PrivateIpAddress.N", "SecondaryPrivateIpAddressCount");
        }
        return named.isEmpty() ? any(count) : named(named);
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

    private List<String> named(List<String> addresses) {
        refuseRepeated(addresses);
        List<String> taken = new ArrayList<>();
        addresses.forEach(address -> taken.add(named(address)));
        return taken;
    }
}
