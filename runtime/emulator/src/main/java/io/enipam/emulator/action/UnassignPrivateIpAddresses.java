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

/** Takes addresses off an ENI, all that are named or none. */
final class UnassignPrivateIpAddresses implements Action {
    private static final int MOST = 32;

    @Override
    public String name() {
        return "UnassignPrivateIpAddresses";
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Eni eni = Lookup.steadyEni(call, state);
        List<String> gone = call.params().list("PrivateIpAddress", MOST);
        if (gone.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "PrivateIpAddress.N");
        }
        Addresses.refuseRepeated(gone);
        for (String address : gone) {
            if (address.equals(eni.primaryIp())) {
                throw Params.invalid("PrivateIpAddress.N");
            }
            if (!eni.secondaryIps().contains(address)) {
                throw new ApiException(ApiError.IP_UNASSIGNED, address);
            }
        }
        return new Outcome(state.changed(eni.unassigned(gone)), EniJson.body());
    }
}
