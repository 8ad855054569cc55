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
    public Outcome apply(Call call, CloudState state) {
        Eni eni = Lookup.steadyEni(call, state);
        VSwitch vswitch = Lookup.vswitch(eni.vswitchId(), state);
        Addresses.Asked more = new Addresses(vswitch, state.used(vswitch.id())).asked(call.params(), MOST_NAMED);
        if (more.isNothing()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "SecondaryPrivateIpAddressCount");
        }
        Eni changed = eni.assigned(more.secondaries()).assignedPrefixes(more.prefixes());
        Limits.check(changed, state);
        CloudState after = state.changed(changed);
        Addresses.refuseAboveQuota(after);
        ObjectNode body = EniJson.body();
        ObjectNode set = body.putObject("AssignedPrivateIpAddressesSet");
        set.put("NetworkInterfaceId", eni.id());
        EniJson.strings(set.putObject("PrivateIpSet").putArray("PrivateIpAddress"), more.secondaries());
        if (!more.prefixes().isEmpty()) {
            EniJson.strings(set.putObject("Ipv4PrefixSet").putArray("Ipv4Prefixes"), more.prefixes());
        }
        return new Outcome(after, body);
    }
}
