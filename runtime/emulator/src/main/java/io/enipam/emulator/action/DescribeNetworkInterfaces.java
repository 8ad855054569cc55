package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Lists ENIs that pass all the filters given, in the order of their creation. */
final class DescribeNetworkInterfaces implements Action {
    private static final int MOST_LISTED = 100;
    private static final List<String> TYPES = Stream.concat(
                    Arrays.stream(EniKind.values()).map(EniKind::wireName), Stream.of("Member"))
            .toList();
    private static final Page.Bounds BOUNDS = new Page.Bounds(10, 500, 1000);

    @Override
    public String name() {
        return "DescribeNetworkInterfaces";
    }

    @Override
    public boolean mayBeLate() {
        return true;
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        List<EmulatedEni> enis =
                state.enis().values().stream().filter(filter(params, state)).toList();
        Page<EmulatedEni> page = Page.cut(params, enis, EmulatedEni::sequence, BOUNDS);
        ObjectNode body = page.head();
        ArrayNode items = body.putObject("NetworkInterfaceSets").putArray("NetworkInterfaceSet");
        page.items().forEach(eni -> items.add(EniJson.listed(eni, state)));
        return new ActionResult(state, body);
    }

    private static Predicate<EmulatedEni> filter(Params params, CloudState state) {
        known(
                params,
                "Status",
                Arrays.stream(EniStatus.values()).map(EniStatus::wireName).toList());
        known(params, "Type", TYPES);
        boolean managed = params.bool("ServiceManaged").orElse(false);
        List<String> ids = params.list("NetworkInterfaceId", MOST_LISTED);
        List<String> ips = params.list("PrivateIpAddress", MOST_LISTED);
        List<String> sixes = params.list("Ipv6Address", MOST_LISTED);
        Map<String, Optional<String>> tags = Tags.toMatch(params);
        Predicate<EmulatedEni> all = eni -> ids.isEmpty() || ids.contains(eni.id());
        return all.and(eni -> ips.isEmpty() || eni.addresses().stream().anyMatch(ips::contains))
                .and(eni -> sixes.isEmpty() || eni.ipv6s().stream().anyMatch(sixes::contains))
                .and(eni -> Tags.match(eni.tags(), tags))
                .and(equal(params, "InstanceId", eni -> eni.instanceId().orElse("")))
                .and(equal(params, "VpcId", eni -> state.vpc().id()))
                .and(equal(params, "VSwitchId", EmulatedEni::vswitchId))
                .and(equal(params, "Status", eni -> eni.status().wireName()))
                .and(equal(params, "Type", EmulatedEni::typeName))
                .and(equal(params, "PrimaryIpAddress", EmulatedEni::primaryIp))
                .and(equal(params, "NetworkInterfaceName", EmulatedEni::name))
                .and(eni -> !managed)
                .and(equal(params, "ResourceGroupId", eni -> ""))
                .and(member(params, "SecurityGroupId", EmulatedEni::securityGroups));
    }

    private static void known(Params params, String name, List<String> values) {
        params.get(name).filter(value -> !values.contains(value)).ifPresent(value -> {
            throw Params.invalid(name);
        });
    }

    private static Predicate<EmulatedEni> equal(Params params, String name, Function<EmulatedEni, String> field) {
        return member(params, name, field.andThen(List::of));
    }

    private static Predicate<EmulatedEni> member(Params params, String name, Function<EmulatedEni, List<String>> field) {
        Optional<String> wanted = params.get(name);
        return eni -> wanted.map(value -> field.apply(eni).contains(value)).orElse(true);
    }
}
