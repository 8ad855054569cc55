package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.IdGenerator;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes an ENI, Available at once. */
final class CreateNetworkInterface implements Action {
    private static final int MOST_NAMED = 10;

    @Override
    public String name() {
        return "CreateNetworkInterface";
    }

    @Override
    public boolean takesClientToken() {
        return true;
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        VSwitch vswitch = ResourceLookup.vswitch(params.require("VSwitchId"), state);
        List<String> groups = securityGroups(params, state);
        EniKind kind = kind(params);
        AddressAllocator addresses = new AddressAllocator(vswitch, state.used(vswitch.id()));
        // named addresses first: otherwise the address picked for one may be the name of another
        Optional<String> named = params.get("PrimaryIpAddress").map(addresses::named);
        AddressAllocator.Asked more = addresses.asked(params, MOST_NAMED);
        String primary = named.orElseGet(() -> addresses.any(1).get(0));
        List<String> ipv6s = Ipv6AddressAllocator.asked(params, vswitch, state.usedIpv6(vswitch.id()));
        long number = state.made();
        EmulatedEni eni = new EmulatedEni(
                IdGenerator.resource(state.seed(), "eni", number),
                number,
                IdGenerator.mac(state.seed(), number),
                kind,
                vswitch.id(),
                primary,
                more.secondaries(),
                more.prefixes(),
                ipv6s,
                groups,
                Tags.toPut(params),
                params.get("NetworkInterfaceName").orElse(""),
                params.get("Description").orElse(""),
                params.bool("DeleteOnRelease").orElse(true),
                call.now(),
                EniStatus.AVAILABLE,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        EniAddressLimits.check(eni, state);
        CloudState after = state.made(eni);
        refuseAboveQuota(after);
        return new ActionResult(after, EniJson.of(eni, after));
    }

    private static void refuseAboveQuota(CloudState after) {
        int quota = after.quotas().enis();
        long enis = after.enis().values().stream()
                .filter(eni -> eni.kind() != EniKind.PRIMARY)
                .count();
        if (enis > quota) {
            throw new ApiException(ApiError.ENI_QUOTA, quota);
        }
        AddressAllocator.refuseAboveQuota(after);
    }

    private static List<String> securityGroups(Params params, CloudState state) {
        List<String> groups = new ArrayList<>(params.list("SecurityGroupIds", SecurityGroups.MOST_LISTED));
        Optional<String> single = params.get("SecurityGroupId");
        if (single.isPresent() && !groups.isEmpty()) {
            throw new ApiException(ApiError.CONFLICTING_PARAMETERS, "SecurityGroupId", "SecurityGroupIds.N");
        }
        single.ifPresent(groups::add);
        List<String> each = groups.stream().distinct().toList();
        SecurityGroups.check(each, List.of(), state);
        return each;
    }

    private static EniKind kind(Params params) {
        return switch (params.get("InstanceType").orElse("Secondary")) {
            case "Secondary" -> EniKind.SECONDARY;
            case "Trunk" -> EniKind.TRUNK;
            default -> throw Params.invalid("InstanceType");
        };
    }
}
