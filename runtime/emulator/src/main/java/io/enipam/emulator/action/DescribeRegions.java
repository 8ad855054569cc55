package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;

/** Lists the one region there is. */
final class DescribeRegions implements Action {
    @Override
    public String name() {
        return "DescribeRegions";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        ObjectNode body = EniJson.body();
        body.putObject("Regions")
                .putArray("Region")
                .addObject()
                .put("RegionId", state.regionId())
                .put("LocalName", state.regionId())
                .put("RegionEndpoint", "ecs." + state.regionId() + ".aliyuncs.com")
                .put("Status", "available");
        return new ActionResult(state, body);
    }
}
