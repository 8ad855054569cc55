package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
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
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.steadyEni(call, state);
        VSwitch vswitch = ResourceLookup.vswitch(eni.vswitchId(), state);
        List<String> more = Ipv6AddressAllocator.asked(call.params(), vswitch, state.usedIpv6(vswitch.id()));
        if (more.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "Ipv6AddressCount");
        }
        EmulatedEni changed = eni.assignedIpv6(more);
        EniAddressLimits.check(changed, state);
        ObjectNode body = EniJson.body();
        body.put("NetworkInterfaceId", eni.id());
        EniJson.strings(body.putObject("Ipv6Sets").putArray("Ipv6Address"), more);
        return new ActionResult(state.changed(changed), body);
    }
}
