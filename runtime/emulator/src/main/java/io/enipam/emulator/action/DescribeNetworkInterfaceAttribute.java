package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;

/** Tells everything about one ENI. */
final class DescribeNetworkInterfaceAttribute implements Action {
    @Override
    public String name() {
        return "DescribeNetworkInterfaceAttribute";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        return new ActionResult(state, EniJson.listed(ResourceLookup.eni(call, state), state));
    }
}
