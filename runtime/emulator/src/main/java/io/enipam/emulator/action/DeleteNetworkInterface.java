package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
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
    public Outcome apply(Call call, CloudState state) {
        Eni eni = Lookup.eni(call, state);
        EniStatus next = Lookup.next(eni, EniEvent.DELETE);
        if (next == eni.status()) {
            return new Outcome(state, EniJson.body());
        }
        return new Outcome(state.changed(eni.becoming(next, Optional.of(call.endOf(next)))), EniJson.body());
    }
}
