package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.VSwitch;
import java.util.List;

/** Lists vSwitches and how many addresses each has left; of VPC, and of ECS in its older form. */
final class DescribeVSwitches implements Action {
    private static final int MOST_NAMED = 100;
    private static final Page.Bounds BOUNDS = new Page.Bounds(0, 0, 50);

    @Override
    public String name() {
        return "DescribeVSwitches";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        // a list of ids with commas is allowed too
        List<String> ids = params.get("VSwitchId")
                .map(text -> List.of(text.split(",", MOST_NAMED)))
                .orElse(List.of());
        List<VSwitch> found = state.vswitches().stream()
                .filter(vswitch -> ids.isEmpty() || ids.contains(vswitch.id()))
                .filter(vswitch -> params.asks("VpcId", state.vpc().id()))
                .filter(vswitch -> params.asks("ZoneId", vswitch.zoneId()))
                .toList();
        Page<VSwitch> page = Page.cut(params, found, found::indexOf, BOUNDS);
        ObjectNode body = page.head();
        ArrayNode items = body.putObject("VSwitches").putArray("VSwitch");
        page.items()
                .forEach(vswitch -> items.addObject()
                        .put("VSwitchId", vswitch.id())
                        .put("VpcId", state.vpc().id())
                        .put("VSwitchName", "")
                        .put("Description", "")
                        .put("Status", "Available")
                        .put("CreationTime", ApiTimestamps.ofCloud(state))
                        .put("CidrBlock", vswitch.cidr())
                        .put("Ipv6CidrBlock", vswitch.ipv6Cidr().orElse(""))
                        .put("ZoneId", vswitch.zoneId())
                        .put("IsDefault", false)
                        .put(
                                "AvailableIpAddressCount",
                                vswitch.capacity() - state.used(vswitch.id()).size()));
        return new ActionResult(state, body);
    }
}
