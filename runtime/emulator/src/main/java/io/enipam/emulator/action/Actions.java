package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Service;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All actions, by product and name. */
public final class Actions {
    private static final Map<Service, Map<String, Action>> ALL = Map.of(
            Service.ECS,
            byName(List.of(
                    new DescribeInstances(),
                    new DescribeInstanceTypes(),
                    new DescribeVSwitches(),
                    new DescribeNetworkInterfaces(),
                    new CreateNetworkInterface(),
                    new AttachNetworkInterface(),
                    new DetachNetworkInterface(),
                    new DeleteNetworkInterface(),
                    new AssignPrivateIpAddresses(),
                    new UnassignPrivateIpAddresses())),
            Service.VPC,
            byName(List.of(new DescribeVSwitches())));

    private Actions() {}

    /** The action of that name, spelt exactly. */
    public static Optional<Action> find(Service service, String name) {
        return Optional.ofNullable(ALL.get(service)).map(actions -> actions.get(name));
    }

    /** The names of all actions of all products. */
    public static Set<String> names() {
        return ALL.values().stream()
                .flatMap(actions -> actions.keySet().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static Map<String, Action> byName(List<Action> actions) {
        return actions.stream().collect(Collectors.toUnmodifiableMap(Action::name, Function.identity()));
    }
}
