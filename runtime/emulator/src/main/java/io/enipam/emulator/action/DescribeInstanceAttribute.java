package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;

/** Tells everything about one instance; older clients ask this before DescribeInstances. */
final class DescribeInstanceAttribute implements Action {
    @Override
    public String name() {
        return "DescribeInstanceAttribute";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        String id = call.params().require("InstanceId");
        ObjectNode body = state.instance(id)
                .map(instance -> InstanceJson.of(instance, state))
                .orElseThrow(() -> new ApiException(ApiError.INSTANCE_ID_NOT_FOUND, id));
        // a word here, a boolean in DescribeInstances: so the real API has it
        return new ActionResult(state, body.put("IoOptimized", "optimized"));
    }
}
