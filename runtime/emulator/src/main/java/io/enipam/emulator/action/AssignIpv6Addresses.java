package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
import io.enipam.emulator.cloud.VSwitch;
import java.util.List;

/** Gives an ENI more IPv6 addresses, all that are asked for or none. */
final class AssignIpv6Addresses implements Action {
    @Override
    public String name() {
        return "AssignIpv6Addresses";
    }

    @Override
    public boolean takesClientToken() {
        return true;
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Eni eni = Lookup.steadyEni(call, state);
        VSwitch vswitch = Lookup.vswitch(eni.vswitchId(), state);
        List<String> more = Ipv6Addresses.asked(call.params(), vswitch, state.usedIpv6(vswitch.id()));
        if (more.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "Ipv6AddressCount");
        }
        Eni changed = eni.assignedIpv6(more);
        Limits.check(changed, state);
        ObjectNode body = EniJson.body();
        body.put("NetworkInterfaceId", eni.id());
        EniJson.strings(body.putObject("Ipv6Sets").putArray("Ipv6Address"), more);
        return new Outcome(state.changed(changed), body);
    }
}
