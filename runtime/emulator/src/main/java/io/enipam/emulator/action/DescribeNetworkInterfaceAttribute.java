package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.cloud.CloudState;

/** Tells everything about one ENI. */
final class DescribeNetworkInterfaceAttribute implements Action {
    @Override
    public String name() {
        return "DescribeNetworkInterfaceAttribute";
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        return new Outcome(state, EniJson.listed(Lookup.eni(call, state), state));
    }
}
