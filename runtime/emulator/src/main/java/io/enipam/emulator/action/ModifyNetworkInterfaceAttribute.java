package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.List;

/** Changes name, description, release behaviour and security groups of an ENI; what is not given stays. */
final class ModifyNetworkInterfaceAttribute implements Action {
    @Override
    public String name() {
        return "ModifyNetworkInterfaceAttribute";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.eni(call, state);
        Params params = call.params();
        List<String> groups = params.list("SecurityGroupId", SecurityGroups.MOST_LISTED);
        if (!groups.isEmpty()) {
            SecurityGroups.check(groups, eni.securityGroups(), state);
        }
        EmulatedEni changed = eni.modified(
                groups.isEmpty() ? eni.securityGroups() : groups,
                params.get("NetworkInterfaceName").orElse(eni.name()),
                params.get("Description").orElse(eni.description()),
                params.bool("DeleteOnRelease").orElse(eni.deleteOnRelease()));
        return new ActionResult(state.changed(changed), EniJson.body());
    }
}
