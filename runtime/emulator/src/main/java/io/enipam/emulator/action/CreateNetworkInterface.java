package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.Ids;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes an ENI, Available at once. */
final class CreateNetworkInterface implements Action {
    private static final int MOST_NAMED = 10;
    private static final int MOST_GROUPS = 10;

    @Override
    public String name() {
        return "CreateNetworkInterface";
    }

    @Override
    public boolean takesClientToken() {
        return true;
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Params params = call.params();
        VSwitch vswitch = Lookup.vswitch(params.require("VSwitchId"), state);
        List<String> groups = securityGroups(params, state);
        EniKind kind = kind(params);
        Addresses.refuseOtherKinds(params, vswitch);
        params.list("PrivateIpAddress", MOST_NAMED);
        Addresses addresses = new Addresses(vswitch, state.used(vswitch.id()));
        // named addresses first: otherwise the address picked for one may be the name of another
        Optional<String> named = params.get("PrimaryIpAddress").map(addresses::named);
        List<String> secondaries = addresses.secondaries(params);
        String primary = named.orElseGet(() -> addresses.any(1).get(0));
        long number = state.made();
        Eni eni = new Eni(
                Ids.resource(state.seed(), "eni", number),
                number,
                Ids.mac(state.seed(), number),
                kind,
                vswitch.id(),
                primary,
                secondaries,
                groups,
                Tags.toPut(params),
                params.get("NetworkInterfaceName").orElse(""),
                params.get("Description").orElse(""),
                params.bool("DeleteOnRelease").orElse(true),
                call.now(),
                EniStatus.AVAILABLE,
                Optional.empty(),
                Optional.empty());
        CloudState after = state.made(eni);
        return new Outcome(after, EniJson.of(eni, after));
    }

    private static List<String> securityGroups(Params params, CloudState state) {
        List<String> groups = new ArrayList<>(params.list("SecurityGroupIds", MOST_GROUPS));
        Optional<String> single = params.get("SecurityGroupId");
        if (single.isPresent() && !groups.isEmpty()) {
            throw new ApiException(ApiError.CONFLICTING_PARAMETERS, "SecurityGroupId", "SecurityGroupIds.N");
        }
        single.ifPresent(groups::add);
        if (groups.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "SecurityGroupId");
        }
        for (String group : groups) {
            if (!group.equals(state.vpc().securityGroup())) {
                throw new ApiException(ApiError.SECURITY_GROUP_NOT_FOUND, group);
            }
        }
        return groups;
    }

    private static EniKind kind(Params params) {
        return switch (params.get("InstanceType").orElse("Secondary")) {
            case "Secondary" -> EniKind.SECONDARY;
            case "Trunk" -> EniKind.TRUNK;
            default -> throw Params.invalid("InstanceType");
        };
    }
}
