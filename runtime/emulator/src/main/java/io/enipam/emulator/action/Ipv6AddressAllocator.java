package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.Ipv6Block;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Takes IPv6 addresses out of a vSwitch: named ones or any. */
final class Ipv6AddressAllocator {
    /** In one call, and of an ENI that is not attached. */
    static final int MOST = 10;

    private Ipv6AddressAllocator() {}

    /**
     * The addresses a call asks for; none if it asks for none.
     *
     * @throws ApiException if the vSwitch has no IPv6, or an address cannot be had
     */
    static List<String> asked(Params params, VSwitch vswitch, Set<String> used) {
        for (String prefix : List.of("Ipv6PrefixCount", "Ipv6Prefix.1")) {
            if (params.get(prefix).isPresent()) {
                throw new ApiException(ApiError.UNSUPPORTED_PARAMETER, prefix);
            }
        }
        List<String> named = params.list("Ipv6Address", MOST);
        int count = params.integer("Ipv6AddressCount", 1, MOST).orElse(0);
        if (!named.isEmpty() && count > 0) {
            throw new ApiException(ApiError.CONFLICTING_PARAMETERS, "Ipv6Address.N", "Ipv6AddressCount");
        }
        if (named.isEmpty() && count == 0) {
            return List.of();
        }
        Ipv6Block block = vswitch.ipv6().orElseThrow(() -> new ApiException(ApiError.IPV6_NOT_ON, vswitch.id()));
        return named.isEmpty() ? block.free(count, used) : named(named, block, used);
    }

    private static List<String> named(List<String> addresses, Ipv6Block block, Set<String> used) {
        Set<String> taken = new LinkedHashSet<>();
        for (String address : addresses) {
            String plain = block.offered(address).orElseThrow(() -> new ApiException(ApiError.IP_INVALID, address));
            if (used.contains(plain)) {
                throw new ApiException(ApiError.IP_ASSIGNED, address);
            }
            if (!taken.add(plain)) {
                throw new ApiException(ApiError.IP_REPEATED, address);
            }
        }
        return new ArrayList<>(taken);
    }
}
