package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
import java.util.List;

/** Changes name, description, release behaviour and security groups of an ENI; what is not given stays. */
final class ModifyNetworkInterfaceAttribute implements Action {
    @Override
    public String name() {
        return "ModifyNetworkInterfaceAttribute";
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Eni eni = Lookup.eni(call, state);
        Params params = call.params();
        List<String> groups = params.list("SecurityGroupId", SecurityGroups.MOST_LISTED);
        if (!groups.isEmpty()) {
            SecurityGroups.check(groups, eni.securityGroups(), state);
        }
        Eni changed = eni.modified(
                groups.isEmpty() ? eni.securityGroups() : groups,
                params.get("NetworkInterfaceName").orElse(eni.name()),
                params.get("Description").orElse(eni.description()),
                params.bool("DeleteOnRelease").orElse(eni.deleteOnRelease()));
        return new Outcome(state.changed(changed), EniJson.body());
    }
}
