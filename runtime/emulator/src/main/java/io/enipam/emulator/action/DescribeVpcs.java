package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.VSwitch;
import io.enipam.emulator.cloud.Vpc;
import java.util.List;

/** Lists the one VPC there is; of VPC, and of ECS in its older form. */
final class DescribeVpcs implements Action {
    private static final int MOST_NAMED = 100;
    private static final Page.Bounds BOUNDS = new Page.Bounds(0, 0, 50);

    @Override
    public String name() {
        return "DescribeVpcs";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        Vpc vpc = state.vpc();
        List<String> ids = params.get("VpcId")
                .map(text -> List.of(text.split(",", MOST_NAMED)))
                .orElse(List.of());
        List<Vpc> found = ids.isEmpty() || ids.contains(vpc.id()) ? List.of(vpc) : List.of();
        Page<Vpc> page = Page.cut(params, found, found::indexOf, BOUNDS);
        ObjectNode body = page.head();
        ArrayNode items = body.putObject("Vpcs").putArray("Vpc");
        for (Vpc item : page.items()) {
            ObjectNode json = items.addObject()
                    .put("VpcId", item.id())
                    .put("VpcName", "")
                    .put("Description", "")
                    .put("RegionId", state.regionId())
                    .put("Status", "Available")
                    .put("CreationTime", ApiTimestamps.ofCloud(state))
                    .put("CidrBlock", item.cidr())
                    .put("Ipv6CidrBlock", item.ipv6Cidr().orElse(""))
                    .put("VRouterId", "")
                    .put("IsDefault", false)
                    .put("ResourceGroupId", "");
            EniJson.strings(
                    json.putObject("VSwitchIds").putArray("VSwitchId"),
                    state.vswitches().stream().map(VSwitch::id).toList());
            json.putObject("UserCidrs").putArray("UserCidr");
            json.putObject("SecondaryCidrBlocks").putArray("SecondaryCidrBlock");
        }
        return new ActionResult(state, body);
    }
}
