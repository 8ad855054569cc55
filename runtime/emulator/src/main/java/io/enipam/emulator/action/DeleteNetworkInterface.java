package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniEvent;
import io.enipam.emulator.cloud.EniStatus;
import java.util.Optional;

/** Begins to delete an ENI, which must be Available; it and its addresses are gone some seconds later. */
final class DeleteNetworkInterface implements Action {
    @Override
    public String name() {
        return "DeleteNetworkInterface";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        EmulatedEni eni = ResourceLookup.eni(call, state);
        EniStatus next = ResourceLookup.next(eni, EniEvent.DELETE);
        if (next == eni.status()) {
            return new ActionResult(state, EniJson.body());
        }
        return new ActionResult(state.changed(eni.becoming(next, Optional.of(call.endOf(next)))), EniJson.body());
    }
}
