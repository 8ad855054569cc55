package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import java.util.List;

/** Lists security groups. */
final class DescribeSecurityGroups implements Action {
    private static final int MOST_NAMED = 100;
    private static final Page.Bounds BOUNDS = new Page.Bounds(1, 100, 50);

    @Override
    public String name() {
        return "DescribeSecurityGroups";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        List<String> ids = params.list("SecurityGroupIds", MOST_NAMED);
        List<String> all = state.vpc().securityGroups();
        List<String> found = all.stream()
                .filter(group -> ids.isEmpty() || ids.contains(group))
                .filter(group -> params.asks("SecurityGroupId", group))
                .filter(group -> params.asks("VpcId", state.vpc().id()))
                .filter(group -> params.asks("NetworkType", "vpc"))
                .toList();
        Page<String> page = Page.cut(params, found, all::indexOf, BOUNDS);
        ObjectNode body = page.head();
        body.put("RegionId", state.regionId());
        ArrayNode items = body.putObject("SecurityGroups").putArray("SecurityGroup");
        for (String group : page.items()) {
            int members = (int) state.members(group);
            items.addObject()
                    .put("SecurityGroupId", group)
                    .put("SecurityGroupName", group)
                    .put("Description", "")
                    .put("SecurityGroupType", "normal")
                    .put("VpcId", state.vpc().id())
                    .put("CreationTime", ApiTimestamps.ofCloud(state))
                    .put("ServiceManaged", false)
                    .put("ResourceGroupId", "")
                    .put("EcsCount", members)
                    .put("AvailableInstanceAmount", Math.max(0, state.quotas().groupMembers() - members))
                    .putObject("Tags")
                    .putArray("Tag");
        }
        return new ActionResult(state, body);
    }
}
