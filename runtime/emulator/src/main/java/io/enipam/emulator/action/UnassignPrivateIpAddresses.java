package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.List;

/** Takes addresses and prefixes off an ENI, all that are named or none. */
final class UnassignPrivateIpAddresses implements Action {
    private static final int MOST = 32;

    @Override
    public String name() {
        return "UnassignPrivateIpAddresses";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.steadyEni(call, state);
        List<String> addresses = call.params().list("PrivateIpAddress", MOST);
        List<String> prefixes = call.params().list("Ipv4Prefix", MOST);
        if (addresses.isEmpty() && prefixes.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "PrivateIpAddress.N");
        }
        if (addresses.contains(eni.primaryIp())) {
            throw Params.invalid("PrivateIpAddress.N");
        }
        AddressAllocator.requireAll(addresses, eni.secondaryIps());
        AddressAllocator.requireAll(prefixes, eni.ipv4Prefixes());
        return new ActionResult(state.changed(eni.unassigned(addresses).unassignedPrefixes(prefixes)), EniJson.body());
    }
}
