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
import java.util.Optional;

/** Begins to detach an ENI; it is Available some seconds later. */
final class DetachNetworkInterface implements Action {
    @Override
    public String name() {
        return "DetachNetworkInterface";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.eni(call, state);
        Instance instance = ResourceLookup.instance(call, state);
        if (eni.kind() == EniKind.PRIMARY) {
            throw new ApiException(ApiError.DETACH_PRIMARY);
        }
        EniStatus next = ResourceLookup.next(eni, EniEvent.DETACH);
        if (!eni.isOn(instance.id())) {
            throw new ApiException(ApiError.INVALID_ENI_STATE, "attached to another instance");
        }
        boolean hasMembers = state.enisOn(instance.id()).stream()
                .anyMatch(other -> other.trunkId().filter(eni.id()::equals).isPresent());
        if (hasMembers) {
            throw new ApiException(ApiError.INVALID_ENI_STATE, "it has member ENIs");
        }
        if (next == eni.status()) {
            return new ActionResult(state, EniJson.body());
        }
        return new ActionResult(state.changed(eni.becoming(next, Optional.of(call.endOf(next)))), EniJson.body());
    }
}
