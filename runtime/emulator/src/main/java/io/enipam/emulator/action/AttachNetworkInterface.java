package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniEvent;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.InstanceType;
import java.util.List;
import java.util.Optional;

/** Begins to attach an ENI, by itself or as a member of a trunk ENI; it is InUse some seconds later. */
final class AttachNetworkInterface implements Action {
    private static final int MOST_CARDS = 16;

    @Override
    public String name() {
        return "AttachNetworkInterface";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.eni(call, state);
        Instance instance = ResourceLookup.instance(call, state);
        call.params().integer("NetworkCardIndex", 0, MOST_CARDS - 1);
        Optional<String> trunk = trunk(call, instance, state);
        EniStatus next = ResourceLookup.next(eni, EniEvent.ATTACH);
        String zone = state.zoneOf(eni.vswitchId());
        if (!zone.equals(state.zoneOf(instance))) {
            throw new ApiException(ApiError.ZONE_MISMATCH, zone, state.zoneOf(instance));
        }
        InstanceType type = state.typeOf(instance);
        if (eni.kind() == EniKind.TRUNK && (!type.trunk() || trunk.isPresent())) {
            throw new ApiException(ApiError.INVALID_ENI_TYPE, type.id() + " takes no trunk ENI here");
        }
        List<EmulatedEni> there = state.enisOn(instance.id());
        long cards = there.stream().filter(other -> other.trunkId().isEmpty()).count();
        if (there.size() >= type.totalEnis() || (trunk.isEmpty() && cards >= type.enis())) {
            throw new ApiException(ApiError.ENI_LIMIT_EXCEEDED);
        }
        EniAddressLimits.check(eni, Optional.of(type));
        return new ActionResult(state.changed(eni.attaching(instance.id(), trunk, call.endOf(next))), EniJson.body());
    }

    /** The trunk ENI asked for, which must be InUse on the instance. */
    private static Optional<String> trunk(ActionCall call, Instance instance, CloudState state) {
        Optional<String> id = call.params().get("TrunkNetworkInstanceId");
        id.ifPresent(asked -> {
            EmulatedEni trunk = state.eni(asked).orElseThrow(() -> new ApiException(ApiError.ENI_NOT_FOUND, asked));
            if (trunk.kind() != EniKind.TRUNK) {
                throw new ApiException(ApiError.INVALID_ENI_TYPE, asked + " is no trunk ENI");
            }
            if (trunk.status() != EniStatus.IN_USE || !trunk.isOn(instance.id())) {
                throw ResourceLookup.wrongState(trunk);
            }
        });
        return id;
    }
}
