package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
import java.util.List;

/** Takes addresses and prefixes off an ENI, all that are named or none. */
final class UnassignPrivateIpAddresses implements Action {
    private static final int MOST = 32;

    @Override
    public String name() {
        return "UnassignPrivateIpAddresses";
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Eni eni = Lookup.steadyEni(call, state);
        List<String> addresses = call.params().list("PrivateIpAddress", MOST);
        List<String> prefixes = call.params().list("Ipv4Prefix", MOST);
        if (addresses.isEmpty() && prefixes.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "PrivateIpAddress.N");
        }
        if (addresses.contains(eni.primaryIp())) {
            throw Params.invalid("PrivateIpAddress.N");
        }
        Addresses.requireAll(addresses, eni.secondaryIps());
        Addresses.requireAll(prefixes, eni.ipv4Prefixes());
        return new Outcome(state.changed(eni.unassigned(addresses).unassignedPrefixes(prefixes)), EniJson.body());
    }
}
