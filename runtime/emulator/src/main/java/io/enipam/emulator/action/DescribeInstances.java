package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.Instance;
import java.util.List;

/** Lists instances. */
final class DescribeInstances implements Action {
    private static final int MOST_NAMED = 100;
    private static final Page.Bounds BOUNDS = new Page.Bounds(1, 100, 100);

    @Override
    public String name() {
        return "DescribeInstances";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        List<String> ids = params.get("InstanceIds").map(DescribeInstances::ids).orElse(List.of());
        List<String> ips = params.get("PrivateIpAddresses")
                .map(text -> Params.strings(text).orElseThrow(() -> Params.invalid("PrivateIpAddresses")))
                .orElse(List.of());
        List<Instance> found = state.instances().stream()
                .filter(instance -> ids.isEmpty() || ids.contains(instance.id()))
                .filter(instance -> ips.isEmpty() || hasAny(instance, ips, state))
                .filter(instance -> params.asks("VpcId", state.vpc().id()))
                .filter(instance -> params.asks("VSwitchId", instance.vswitchId()))
                .filter(instance -> params.asks("ZoneId", state.zoneOf(instance)))
                .filter(instance -> params.asks("InstanceType", instance.type()))
                .filter(instance ->
                        params.asks("InstanceTypeFamily", state.typeOf(instance).family()))
                .filter(instance -> params.asks("InstanceName", instance.hostname()))
                .filter(instance -> params.asks("InstanceNetworkType", "vpc"))
                .filter(instance -> params.asks("Status", "Running"))
                .filter(instance -> params.asks("SecurityGroupId", state.vpc().securityGroup()))
                .toList();
        Page<Instance> page = Page.cut(params, found, state.instances()::indexOf, BOUNDS);
        ObjectNode body = page.head();
        ArrayNode items = body.putObject("Instances").putArray("Instance");
        page.items().forEach(instance -> items.add(InstanceJson.listed(instance, state)));
        return new ActionResult(state, body);
    }

    private static boolean hasAny(Instance instance, List<String> ips, CloudState state) {
        return state.enisOn(instance.id()).stream()
                .filter(eni -> eni.kind() == EniKind.PRIMARY)
                .map(EmulatedEni::primaryIp)
                .anyMatch(ips::contains);
    }

    private static List<String> ids(String text) {
        return Params.strings(text)
                .filter(ids -> ids.size() <= MOST_NAMED)
                .orElseThrow(() -> new ApiException(ApiError.MALFORMED_INSTANCE_IDS));
    }
}
