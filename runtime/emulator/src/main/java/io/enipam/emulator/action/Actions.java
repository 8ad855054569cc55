package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiProduct;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All actions, by product and name. */
public final class Actions {
    private static final Map<ApiProduct, Map<String, Action>> ALL = Map.of(
            ApiProduct.ECS,
            byName(List.of(
                    new DescribeRegions(),
                    new DescribeZones(),
                    new DescribeVpcs(),
                    new DescribeVSwitches(),
                    new DescribeSecurityGroups(),
                    new DescribeInstances(),
                    new DescribeInstanceAttribute(),
                    new DescribeInstanceTypes("DescribeInstanceTypes"),
                    new DescribeInstanceTypes("DescribeInstanceTypesNew"),
                    new DescribeNetworkInterfaces(),
                    new DescribeNetworkInterfaceAttribute(),
                    new CreateNetworkInterface(),
                    new AttachNetworkInterface(),
                    new DetachNetworkInterface(),
                    new DeleteNetworkInterface(),
                    new ModifyNetworkInterfaceAttribute(),
                    new AssignPrivateIpAddresses(),
                    new UnassignPrivateIpAddresses(),
                    new AssignIpv6Addresses(),
                    new UnassignIpv6Addresses(),
                    new TagResources(),
                    new UntagResources(),
                    new ListTagResources())),
            ApiProduct.VPC,
            byName(List.of(new DescribeRegions(), new DescribeZones(), new DescribeVpcs(), new DescribeVSwitches())));

    private Actions() {}

    /** The action of that name, spelt exactly. */
    public static Optional<Action> find(ApiProduct service, String name) {
        return Optional.ofNullable(ALL.get(service)).map(actions -> actions.get(name));
    }

    /** The names of all actions of all products. */
    public static Set<String> names() {
        return ALL.values().stream()
                .flatMap(actions -> actions.keySet().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The names of all actions of a product. */
    public static Set<String> names(ApiProduct service) {
        return new TreeSet<>(ALL.getOrDefault(service, Map.of()).keySet());
    }

    private static Map<String, Action> byName(List<Action> actions) {
        return actions.stream().collect(Collectors.toUnmodifiableMap(Action::name, Function.identity()));
    }
}
