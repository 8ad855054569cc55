package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.VSwitch;
import io.enipam.emulator.cloud.VSwitch.Block;
import java.util.List;
import java.util.Optional;

/** The actions that give addresses and prefixes to an ENI and take them off it: all that the call names, or none. */
final class AddressActions {
    private static final int MOST_ASSIGNED = 49;
    private static final int MOST_UNASSIGNED = 32;

    private AddressActions() {}

    static Result assign(ActionCall call) {
        EmulatedEni eni = call.steadyEni();
        CloudState state = call.state();
        VSwitch vswitch = call.vswitch(eni.ips().vswitchId());
        AddressAllocator.Asked more = call.allocator(vswitch).asked(call.params(), MOST_ASSIGNED);
        if (more.secondaries().isEmpty() && more.prefixes().isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("SecondaryPrivateIpAddressCount");
        }
        EmulatedEni changed = eni.assigned(more.secondaries(), more.prefixes(), List.of());
        AddressAllocator.requireWithinLimits(changed, state);
        CloudState after = state.changed(changed);
        AddressAllocator.requireWithinQuota(after);
        ObjectNode body = ActionCall.body();
        ObjectNode set = body.putObject("AssignedPrivateIpAddressesSet").put("NetworkInterfaceId", eni.id());
        EniQueries.strings(set, "PrivateIpSet", "PrivateIpAddress", more.secondaries());
        if (!more.prefixes().isEmpty()) {
            EniQueries.strings(set, "Ipv4PrefixSet", "Ipv4Prefixes", more.prefixes());
        }
        return new Result(after, body);
    }

    static Result unassign(ActionCall call) {
        EmulatedEni eni = call.steadyEni();
        List<String> addresses = call.params().list("PrivateIpAddress", MOST_UNASSIGNED);
        List<String> prefixes = call.params().list("Ipv4Prefix", MOST_UNASSIGNED);
        if (addresses.isEmpty() && prefixes.isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("PrivateIpAddress.N");
        }
        if (addresses.contains(eni.ips().primaryIp())) {
            throw Params.invalid("PrivateIpAddress.N");
        }
        requireAssigned(addresses, eni.ips().secondaryIps());
        requireAssigned(prefixes, eni.ips().ipv4Prefixes());
        return call.change(eni.unassigned(addresses, prefixes, List.of()));
    }

    static Result assignIpv6(ActionCall call) {
        EmulatedEni eni = call.steadyEni();
        CloudState state = call.state();
        VSwitch vswitch = call.vswitch(eni.ips().vswitchId());
        List<String> more = AddressAllocator.ipv6(call.params(), vswitch, state.usedIpv6(vswitch.id()));
        if (more.isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("Ipv6AddressCount");
        }
        EmulatedEni changed = eni.assigned(List.of(), List.of(), more);
        AddressAllocator.requireWithinLimits(changed, state);
        ObjectNode body = ActionCall.body().put("NetworkInterfaceId", eni.id());
        EniQueries.strings(body, "Ipv6Sets", "Ipv6Address", more);
        return new Result(state.changed(changed), body);
    }

    static Result unassignIpv6(ActionCall call) {
        EmulatedEni eni = call.steadyEni();
        Optional<Block> block = call.vswitch(eni.ips().vswitchId()).ipv6();
        // an address has many spellings; the state knows one
        List<String> gone = call.params().list("Ipv6Address", AddressAllocator.MOST_IPV6).stream()
                .map(address -> block.flatMap(found -> found.offered(address)).orElse(address))
                .toList();
        if (gone.isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("Ipv6Address.N");
        }
        requireAssigned(gone, eni.ips().ipv6s());
        return call.change(eni.unassigned(List.of(), List.of(), gone));
    }

    /** Fails if a name is given twice or is not among those of the ENI. */
    private static void requireAssigned(List<String> names, List<String> present) {
        AddressAllocator.refuseRepeated(names);
        for (String name : names) {
            if (!present.contains(name)) {
                throw ApiError.IP_UNASSIGNED.with(name);
            }
        }
    }
}
