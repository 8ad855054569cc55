package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.Ipv6Block;
import java.util.List;
import java.util.Optional;

/** Takes IPv6 addresses off an ENI, all that are named or none. */
final class UnassignIpv6Addresses implements Action {
    @Override
    public String name() {
        return "UnassignIpv6Addresses";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.steadyEni(call, state);
        Optional<Ipv6Block> block = ResourceLookup.vswitch(eni.vswitchId(), state).ipv6();
        // an address has many spellings; the state knows one
        List<String> gone = call.params().list("Ipv6Address", Ipv6AddressAllocator.MOST).stream()
                .map(address -> block.flatMap(found -> found.offered(address)).orElse(address))
                .toList();
        if (gone.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "Ipv6Address.N");
        }
        AddressAllocator.requireAll(gone, eni.ipv6s());
        return new ActionResult(state.changed(eni.unassignedIpv6(gone)), EniJson.body());
    }
}
