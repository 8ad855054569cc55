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

/** Gives an ENI more addresses, all that are asked for or none. */
final class AssignPrivateIpAddresses implements Action {
    /** Of an ENI that is not attached; the instance type's limit counts from the attach on. */
    private static final int MOST_DETACHED = 50;

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
        Addresses.refuseOtherKinds(call.params(), vswitch);
        List<String> more = new Addresses(vswitch, state.used(vswitch.id())).secondaries(call.params());
        if (more.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "SecondaryPrivateIpAddressCount");
        }
        if (eni.addresses().size() + more.size() > limit(eni, state)) {
            throw new ApiException(ApiError.IPV4_COUNT_EXCEEDED);
        }
        ObjectNode body = EniJson.body();
        ObjectNode set = body.putObject("AssignedPrivateIpAddressesSet");
        set.put("NetworkInterfaceId", eni.id());
        EniJson.strings(set.putObject("PrivateIpSet").putArray("PrivateIpAddress"), more);
        return new Outcome(state.changed(eni.assigned(more)), body);
    }

    private static int limit(Eni eni, CloudState state) {
        return eni.instanceId()
                .flatMap(state::instance)
                .map(instance -> state.typeOf(instance).ipv4PerEni())
                .orElse(MOST_DETACHED);
    }
}
