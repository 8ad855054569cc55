package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudStateStore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One action of the API.
 *
 * @param takesClientToken whether a call may carry a ClientToken
 * @param mayBeLate whether it describes the cloud as it was a while ago, if the latency has a lag for descriptions
 * @param work computes result and next state from the call alone; throws ApiException if the call is refused
 */
public record Action(String name, boolean takesClientToken, boolean mayBeLate, Function<ActionCall, Result> work) {
    /** What an action did: the next state, the call's own if nothing changes, and the answer without its request id. */
    public record Result(CloudState state, ObjectNode body) implements CloudStateStore.Transition {}

    /** The products of the emulator, distinguished by the Version parameter. */
    public enum ApiProduct {
        ECS("2014-05-26", "ecs"),
        VPC("2016-04-28", "vpc");

        private final String version;
        private final String host;

        ApiProduct(String version, String host) {
            this.version = version;
            this.host = host;
        }

        public static Optional<ApiProduct> ofVersion(String version) {
            return Arrays.stream(values())
                    .filter(one -> one.version.equals(version))
                    .findFirst();
        }

        /** The host's name in an error body. */
        public String hostId(String region) {
            return host + "." + region + ".aliyuncs.com";
        }
    }

    private static final List<Action> SHARED = List.of(
            action("DescribeRegions", VpcActions::describeRegions),
            action("DescribeZones", VpcActions::describeZones),
            action("DescribeVpcs", VpcActions::describeVpcs),
            action("DescribeVSwitches", VpcActions::describeVSwitches));

    private static final List<Action> VPC_ALONE = List.of(
            action("DescribeRouteEntryList", RouteActions::describe),
            idempotent("CreateRouteEntry", RouteActions::create),
            action("DeleteRouteEntry", RouteActions::delete));

    private static final List<Action> ECS_ALONE = List.of(
            action("DescribeSecurityGroups", VpcActions::describeSecurityGroups),
            action("DescribeInstances", InstanceActions::describeInstances),
            action("DescribeInstanceAttribute", InstanceActions::describeInstanceAttribute),
            action("DescribeInstanceTypes", InstanceActions::describeInstanceTypes),
            action("DescribeInstanceTypesNew", InstanceActions::describeInstanceTypes),
            new Action("DescribeNetworkInterfaces", false, true, EniQueries::describe),
            action("DescribeNetworkInterfaceAttribute", EniQueries::describeAttribute),
            idempotent("CreateNetworkInterface", EniActions::create),
            action("AttachNetworkInterface", EniActions::attach),
            action("DetachNetworkInterface", EniActions::detach),
            action("DeleteNetworkInterface", EniActions::delete),
            action("ModifyNetworkInterfaceAttribute", EniActions::modify),
            idempotent("AssignPrivateIpAddresses", AddressActions::assign),
            action("UnassignPrivateIpAddresses", AddressActions::unassign),
            idempotent("AssignIpv6Addresses", AddressActions::assignIpv6),
            action("UnassignIpv6Addresses", AddressActions::unassignIpv6),
            action("TagResources", TagActions::tag),
            action("UntagResources", TagActions::untag),
            action("ListTagResources", TagActions::list));

    private static final Map<ApiProduct, Map<String, Action>> ALL = Map.of(
            ApiProduct.ECS, byName(Stream.concat(SHARED.stream(), ECS_ALONE.stream())),
            ApiProduct.VPC, byName(Stream.concat(SHARED.stream(), VPC_ALONE.stream())));

    /** The action of that name, spelt exactly. */
    public static Optional<Action> find(ApiProduct product, String name) {
        return Optional.ofNullable(ALL.get(product)).map(actions -> actions.get(name));
    }

    /** Those of all products. */
    public static Set<String> names() {
        Set<String> names = names(ApiProduct.ECS);
        names.addAll(names(ApiProduct.VPC));
        return names;
    }

    public static Set<String> names(ApiProduct product) {
        return new TreeSet<>(ALL.getOrDefault(product, Map.of()).keySet());
    }

    private static Map<String, Action> byName(Stream<Action> actions) {
        return actions.collect(Collectors.toUnmodifiableMap(Action::name, Function.identity()));
    }

    private static Action action(String name, Function<ActionCall, Result> work) {
        return new Action(name, false, false, work);
    }

    private static Action idempotent(String name, Function<ActionCall, Result> work) {
        return new Action(name, true, false, work);
    }
}
