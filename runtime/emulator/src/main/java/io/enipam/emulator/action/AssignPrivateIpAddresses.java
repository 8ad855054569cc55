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

/** Gives an ENI more addresses or prefixes, all that are asked for or none. */
final class AssignPrivateIpAddresses implements Action {
    private static final int MOST_NAMED = 49;

    @Override
    public String name() {
        return "AssignPrivateIpAddresses";
    }

    @Override
    public boolean takesClientToken() {
        return true;
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.steadyEni(call, state);
        VSwitch vswitch = ResourceLookup.vswitch(eni.vswitchId(), state);
        AddressAllocator.Asked more = new AddressAllocator(vswitch, state.used(vswitch.id())).asked(call.params(), MOST_NAMED);
        if (more.isNothing()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "SecondaryPrivateIpAddressCount");
        }
        EmulatedEni changed = eni.assigned(more.secondaries()).assignedPrefixes(more.prefixes());
        EniAddressLimits.check(changed, state);
        CloudState after = state.changed(changed);
        AddressAllocator.refuseAboveQuota(after);
        ObjectNode body = EniJson.body();
        ObjectNode set = body.putObject("AssignedPrivateIpAddressesSet");
        set.put("NetworkInterfaceId", eni.id());
        EniJson.strings(set.putObject("PrivateIpSet").putArray("PrivateIpAddress"), more.secondaries());
        if (!more.prefixes().isEmpty()) {
            EniJson.strings(set.putObject("Ipv4PrefixSet").putArray("Ipv4Prefixes"), more.prefixes());
        }
        return new ActionResult(after, body);
    }
}
