package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
import io.enipam.emulator.cloud.EniEvent;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.InstanceType;

/** Begins to attach an ENI; it is InUse some seconds later. */
final class AttachNetworkInterface implements Action {
    @Override
    public String name() {
        return "AttachNetworkInterface";
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Eni eni = Lookup.eni(call, state);
        Instance instance = Lookup.instance(call, state);
        if (call.params().get("TrunkNetworkInstanceId").isPresent()) {
            throw new ApiException(ApiError.UNSUPPORTED_PARAMETER, "TrunkNetworkInstanceId");
        }
        EniStatus next = Lookup.next(eni, EniEvent.ATTACH);
        InstanceType type = state.typeOf(instance);
        if (eni.kind() == EniKind.TRUNK && !type.trunk()) {
            throw new ApiException(ApiError.INVALID_ENI_TYPE, type.id() + " takes no trunk ENI");
        }
        if (state.enisOn(instance.id()).size() >= type.enis()) {
            throw new ApiException(ApiError.ENI_LIMIT_EXCEEDED);
        }
        if (eni.addresses().size() > type.ipv4PerEni()) {
            throw new ApiException(ApiError.IPV4_COUNT_EXCEEDED);
        }
        return new Outcome(state.changed(eni.attaching(instance.id(), call.endOf(next))), EniJson.body());
    }
}
