package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.InstanceTypes;
import java.util.List;

/** Lists the zones of the region; all offer all instance types. */
final class DescribeZones implements Action {
    @Override
    public String name() {
        return "DescribeZones";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        ObjectNode body = EniJson.body();
        ArrayNode zones = body.putObject("Zones").putArray("Zone");
        List<String> types = InstanceTypes.all().stream().map(InstanceType::id).toList();
        for (String zone : state.zones()) {
            ObjectNode item = zones.addObject().put("ZoneId", zone).put("LocalName", zone);
            EniJson.strings(item.putObject("AvailableInstanceTypes").putArray("InstanceTypes"), types);
            EniJson.strings(
                    item.putObject("AvailableResourceCreation").putArray("ResourceTypes"),
                    List.of("VSwitch", "IoOptimized", "Instance"));
            item.putObject("AvailableDiskCategories").putArray("DiskCategories");
        }
        return new ActionResult(state, body);
    }
}
