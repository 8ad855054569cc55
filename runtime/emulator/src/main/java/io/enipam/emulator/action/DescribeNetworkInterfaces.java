package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Lists ENIs that pass all the filters given, in the order of their creation. */
final class DescribeNetworkInterfaces implements Action {
    private static final int MOST_LISTED = 100;
    private static final Page.Bounds BOUNDS = new Page.Bounds(10, 500, 1000);

    @Override
    public String name() {
        return "DescribeNetworkInterfaces";
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Params params = call.params();
        List<Eni> enis =
                state.enis().values().stream().filter(filter(params, state)).toList();
        Page<Eni> page = Page.cut(params, enis, Eni::sequence, BOUNDS);
        ObjectNode body = page.head();
        ArrayNode items = body.putObject("NetworkInterfaceSets").putArray("NetworkInterfaceSet");
        page.items().forEach(eni -> items.add(EniJson.listed(eni, state)));
        return new Outcome(state, body);
    }

    private static Predicate<Eni> filter(Params params, CloudState state) {
        known(
                params,
                "Status",
                Arrays.stream(EniStatus.values()).map(EniStatus::wireName).toList());
        known(
                params,
                "Type",
                Arrays.stream(EniKind.values()).map(EniKind::wireName).toList());
        params.bool("ServiceManaged");
        List<String> ids = params.list("NetworkInterfaceId", MOST_LISTED);
        List<String> ips = params.list("PrivateIpAddress", MOST_LISTED);
        Map<String, Optional<String>> tags = Tags.toMatch(params);
        Predicate<Eni> all = eni -> ids.isEmpty() || ids.contains(eni.id());
        return all.and(eni -> ips.isEmpty() || eni.addresses().stream().anyMatch(ips::contains))
                .and(eni -> tags.entrySet().stream().allMatch(tag -> tagged(eni, tag.getKey(), tag.getValue())))
                .and(equal(params, "InstanceId", eni -> eni.instanceId().orElse("")))
                .and(equal(params, "VpcId", eni -> state.vpc().id()))
                .and(equal(params, "VSwitchId", Eni::vswitchId))
                .and(equal(params, "Status", eni -> eni.status().wireName()))
                .and(equal(params, "Type", eni -> eni.kind().wireName()))
                .and(equal(params, "PrimaryIpAddress", Eni::primaryIp))
                .and(equal(params, "NetworkInterfaceName", Eni::name))
                .and(equal(params, "ServiceManaged", eni -> "false"))
                .and(member(params, "SecurityGroupId", Eni::securityGroups));
    }

    private static void known(Params params, String name, List<String> values) {
        params.get(name).filter(value -> !values.contains(value)).ifPresent(value -> {
            throw Params.invalid(name);
        });
    }

    private static Predicate<Eni> equal(Params params, String name, Function<Eni, String> field) {
        return member(params, name, field.andThen(List::of));
    }

    private static Predicate<Eni> member(Params params, String name, Function<Eni, List<String>> field) {
        Optional<String> wanted = params.get(name);
        return eni -> wanted.map(value -> field.apply(eni).contains(value)).orElse(true);
    }

    private static boolean tagged(Eni eni, String key, Optional<String> value) {
        String actual = eni.tags().get(key);
        return actual != null && value.map(actual::equals).orElse(true);
    }
}
