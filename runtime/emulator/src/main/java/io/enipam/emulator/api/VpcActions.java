package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.CloudState.Vpc;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.VSwitch;
import java.time.Instant;
import java.util.List;

/** The actions that describe the region and its network. Those of VPC exist in ECS, too, in an older form. */
final class VpcActions {
    private static final int MOST_NAMED = 100;
    private static final Page.Bounds BY_TOKEN = new Page.Bounds(0, 0, 50);
    private static final Page.Bounds GROUPS = new Page.Bounds(1, 100, 50);

    private VpcActions() {}

    static Result describeRegions(ActionCall call) {
        String region = call.state().layout().regionId();
        ObjectNode body = ActionCall.body();
        body.putObject("Regions")
                .putArray("Region")
                .addObject()
                .put("RegionId", region)
                .put("LocalName", region)
                .put("RegionEndpoint", "ecs." + region + ".aliyuncs.com")
                .put("Status", "available");
        return call.answer(body);
    }

    /** Lists the zones of the region; all offer all instance types. */
    static Result describeZones(ActionCall call) {
        ObjectNode body = ActionCall.body();
        ArrayNode zones = body.putObject("Zones").putArray("Zone");
        List<String> types = InstanceType.all().stream().map(InstanceType::id).toList();
        for (String zone : call.state().layout().zones()) {
            ObjectNode item = zones.addObject().put("ZoneId", zone).put("LocalName", zone);
            EniQueries.strings(item, "AvailableInstanceTypes", "InstanceTypes", types);
            EniQueries.strings(
                    item, "AvailableResourceCreation", "ResourceTypes", List.of("VSwitch", "IoOptimized", "Instance"));
            EniQueries.strings(item, "AvailableDiskCategories", "DiskCategories", List.of());
        }
        return call.answer(body);
    }

    static Result describeVpcs(ActionCall call) {
        CloudState state = call.state();
        Vpc vpc = state.layout().vpc();
        List<String> ids = commaSeparated(call.params(), "VpcId");
        List<Vpc> found = ids.isEmpty() || ids.contains(vpc.id()) ? List.of(vpc) : List.of();
        Page<Vpc> page = Page.cut(call.params(), found, found::indexOf, BY_TOKEN);
        ArrayNode items = page.head().putObject("Vpcs").putArray("Vpc");
        for (Vpc item : page.items()) {
            ObjectNode json = items.addObject()
                    .put("VpcId", item.id())
                    .put("VpcName", "")
                    .put("Description", "")
                    .put("RegionId", state.layout().regionId())
                    .put("Status", "Available")
                    .put("CreationTime", creationTime(state))
                    .put("CidrBlock", item.cidr())
                    .put("Ipv6CidrBlock", item.ipv6Cidr().orElse(""))
                    .put("VRouterId", "")
                    .put("IsDefault", false)
                    .put("ResourceGroupId", "");
            List<String> vswitches =
                    state.layout().vswitches().stream().map(VSwitch::id).toList();
            EniQueries.strings(json, "VSwitchIds", "VSwitchId", vswitches);
            EniQueries.strings(json, "RouterTableIds", "RouterTableIds", List.of(state.routeTable()));
            EniQueries.strings(json, "UserCidrs", "UserCidr", List.of());
            EniQueries.strings(json, "SecondaryCidrBlocks", "SecondaryCidrBlock", List.of());
        }
        return call.answer(page.head());
    }

    /** Lists vSwitches and how many addresses each has left. */
    static Result describeVSwitches(ActionCall call) {
        CloudState state = call.state();
        Params params = call.params();
        List<String> ids = commaSeparated(params, "VSwitchId");
        List<VSwitch> found = state.layout().vswitches().stream()
                .filter(vswitch -> ids.isEmpty() || ids.contains(vswitch.id()))
                .filter(vswitch -> params.asks("VpcId", state.layout().vpc().id()))
                .filter(vswitch -> params.asks("ZoneId", vswitch.zoneId()))
                .toList();
        Page<VSwitch> page = Page.cut(params, found, found::indexOf, BY_TOKEN);
        ArrayNode items = page.head().putObject("VSwitches").putArray("VSwitch");
        for (VSwitch vswitch : page.items()) {
            int free = call.free(vswitch);
            items.addObject()
                    .put("VSwitchId", vswitch.id())
                    .put("VpcId", state.layout().vpc().id())
                    .put("VSwitchName", "")
                    .put("Description", "")
                    .put("Status", "Available")
                    .put("CreationTime", creationTime(state))
                    .put("CidrBlock", vswitch.cidr())
                    .put("Ipv6CidrBlock", vswitch.ipv6Cidr().orElse(""))
                    .put("ZoneId", vswitch.zoneId())
                    .put("IsDefault", false)
                    .put("AvailableIpAddressCount", free);
        }
        return call.answer(page.head());
    }

    static Result describeSecurityGroups(ActionCall call) {
        CloudState state = call.state();
        Params params = call.params();
        List<String> ids = params.list("SecurityGroupIds", MOST_NAMED);
        List<String> all = state.layout().vpc().securityGroups();
        List<String> found = all.stream()
                .filter(group -> ids.isEmpty() || ids.contains(group))
                .filter(group -> params.asks("SecurityGroupId", group))
                .filter(group -> params.asks("VpcId", state.layout().vpc().id()))
                .filter(group -> params.asks("NetworkType", "vpc"))
                .toList();
        Page<String> page = Page.cut(params, found, all::indexOf, GROUPS);
        ObjectNode body = page.head().put("RegionId", state.layout().regionId());
        ArrayNode items = body.putObject("SecurityGroups").putArray("SecurityGroup");
        for (String group : page.items()) {
            int members = (int) state.members(group);
            ObjectNode item = items.addObject()
                    .put("SecurityGroupId", group)
                    .put("SecurityGroupName", group)
                    .put("Description", "")
                    .put("SecurityGroupType", "normal")
                    .put("VpcId", state.layout().vpc().id())
                    .put("CreationTime", creationTime(state))
                    .put("ServiceManaged", false)
                    .put("ResourceGroupId", "")
                    .put("EcsCount", members)
                    .put("AvailableInstanceAmount", Math.max(0, state.quotas().groupMembers() - members));
            EniQueries.strings(item, "Tags", "Tag", List.of());
        }
        return call.answer(body);
    }

    private static List<String> commaSeparated(Params params, String name) {
        return params.get(name)
                .map(text -> List.of(text.split(",", MOST_NAMED)))
                .orElse(List.of());
    }

    /** The VPC and all that came with it were made with the first instance. */
    private static String creationTime(CloudState state) {
        return EniQueries.timestamp(state.layout().instances().stream()
                .map(Instance::created)
                .min(Instant::compareTo)
                .orElse(Instant.EPOCH));
    }
}
