package io.enipam.examples.swarm.operate;

import static io.enipam.examples.swarm.operate.Swarm.NETWORK;
import static io.enipam.examples.swarm.operate.Swarm.NOUN;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Network.Driver;
import io.enipam.examples.swarm.model.Network.Ipam;
import io.enipam.examples.swarm.model.Network.Subnet;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code swarm network create|ls|inspect|rm}. */
final class NetworkCommands {
    private static final int MOST = 16;
    private static final String ADDRESSES = "[0-9a-fA-F:./]{2,49}";
    private static final Setting<String> DRIVER = Setting.text("driver", "a driver", "[A-Za-z0-9_.-]{0,64}", "")
            .doc("overlay, the default, or bridge, host, macvlan or ipvlan, whose addresses are the nodes' business.");
    private static final Setting<List<String>> SUBNET = Setting.texts("subnet", "a CIDR", ADDRESSES, MOST, List.of())
            .doc("A subnet; without one the next of the default pools.");
    private static final Setting<List<String>> RANGE = Setting.texts("ip_range", "a CIDR", ADDRESSES, MOST, List.of())
            .doc("From which part of the subnet addresses are taken; one for each subnet, in their order.");
    private static final Setting<List<String>> GATEWAY = Setting.texts(
                    "gateway", "an IP address", ADDRESSES, MOST, List.of())
            .doc("The gateway; one for each subnet, in their order.");
    private static final Setting<Boolean> INGRESS =
            Setting.flag("ingress", false).doc("The network of the routing mesh.");
    private static final Setting<Boolean> ATTACHABLE =
            Setting.flag("attachable", false).doc("Containers that are no tasks may be attached.");
    private static final Setting<List<String>> OPT = Swarm.pairs("opt", MOST, "An option of the driver, as KEY=VALUE.");
    private static final Setting<String> IPAM_DRIVER =
            Setting.choice("ipam_driver", List.of("default", "null"), "default").doc("Who has the subnets.");

    private final Swarm swarm;
    private final String ingressSubnet;

    /** @param ingressSubnet of an ingress network that names none; empty for the next of the default pools */
    NetworkCommands(Swarm swarm, String ingressSubnet) {
        this.swarm = swarm;
        this.ingressSubnet = ingressSubnet;
    }

    List<Command> all() {
        return List.of(
                swarm.command(
                        CommandSpec.change(
                                        "Create a network; its subnets are allocated at once.",
                                        NOUN,
                                        "network",
                                        "create")
                                .operand(NETWORK)
                                .option(DRIVER)
                                .option(SUBNET)
                                .option(RANGE)
                                .option(GATEWAY)
                                .option(INGRESS)
                                .option(ATTACHABLE)
                                .option(OPT)
                                .option(IPAM_DRIVER)
                                .option(Swarm.LABEL),
                        this::create),
                swarm.command(
                        CommandSpec.read(
                                "The networks, with their subnets or what they wait for.", NOUN, "network", "ls"),
                        this::ls),
                swarm.command(
                        CommandSpec.read("A network as docker inspect shows it.", NOUN, "network", "inspect")
                                .operand(NETWORK),
                        call -> swarm.read(tx -> Answer.text(Inspect.network(
                                Swarm.network(call.arguments().get(NETWORK), tx).value())))),
                swarm.command(
                        CommandSpec.destroy("Remove a network that no service and no task uses.", NOUN, "network", "rm")
                                .operand(NETWORK),
                        this::rm));
    }

    private Answer create(Call call) {
        Settings typed = call.arguments();
        Network.Spec spec = new Network.Spec(
                typed.get(NETWORK),
                Swarm.pairs(typed.get(Swarm.LABEL)),
                typed.get(DRIVER).isEmpty() && typed.get(OPT).isEmpty()
                        ? Driver.NONE
                        : new Driver(
                                typed.get(DRIVER).isEmpty() ? Network.OVERLAY : typed.get(DRIVER),
                                Swarm.pairs(typed.get(OPT))),
                new Ipam(
                        typed.get(IPAM_DRIVER).equals("default")
                                ? Driver.NONE
                                : new Driver(typed.get(IPAM_DRIVER), Map.of()),
                        subnets(typed)),
                typed.get(INGRESS),
                typed.get(ATTACHABLE));
        String id = swarm.id();
        swarm.change(call, tx -> Control.createNetwork(id, spec, tx));
        return Answer.text(call.dryRun() ? "network " + spec.name() + " would be created" : id);
    }

    private List<Subnet> subnets(Settings typed) {
        List<String> subnets = typed.get(INGRESS) && typed.get(SUBNET).isEmpty() && !ingressSubnet.isEmpty()
                ? List.of(ingressSubnet)
                : typed.get(SUBNET);
        List<String> ranges = typed.get(RANGE);
        List<String> gateways = typed.get(GATEWAY);
        if (ranges.size() > subnets.size() || gateways.size() > subnets.size()) {
            throw Refused.invalid("there are more ranges or gateways than subnets: name --subnet for each");
        }
        List<Subnet> made = new ArrayList<>();
        for (int i = 0; i < subnets.size(); i++) {
            made.add(new Subnet(
                    subnets.get(i),
                    i < ranges.size() ? ranges.get(i) : "",
                    i < gateways.size() ? gateways.get(i) : ""));
        }
        return made;
    }

    private Answer ls(Call call) {
        List<List<String>> rows = new ArrayList<>();
        for (Network network : swarm.read(tx -> Swarm.all(Tables.NETWORKS, tx))) {
            rows.add(List.of(
                    network.id(),
                    network.spec().name(),
                    network.driver().name().isEmpty() ? "-" : network.driver().name(),
                    network.isIngress() ? "yes" : "no",
                    network.ipam().subnets().isEmpty()
                            ? "-"
                            : network.ipam().subnets().stream()
                                    .map(Subnet::subnet)
                                    .collect(Collectors.joining(" ")),
                    swarm.waits(
                            Keys.NETWORK + network.id(), network.driver().name().isEmpty(), "-")));
        }
        return Answer.table(
                new DiagnosticTable(List.of("NETWORK ID", "NAME", "DRIVER", "INGRESS", "SUBNETS", "WAITS FOR"), rows));
    }

    private Answer rm(Call call) {
        String name = swarm.change(call, tx -> {
            Network network = Swarm.network(call.arguments().get(NETWORK), tx).value();
            Control.removeNetwork(network.id(), tx);
            return network.spec().name();
        });
        return Answer.text(call.dryRun() ? "network " + name + " would be removed, and its subnets freed" : name);
    }
}
