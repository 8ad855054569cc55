package io.enipam.examples.swarm;

import io.enipam.examples.swarm.allocate.Allocator;
import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import io.enipam.examples.swarm.networks.Vxlans;
import io.enipam.examples.swarm.operate.Operator;
import io.enipam.examples.swarm.pools.AddressSpace;
import io.enipam.examples.swarm.pools.PoolSource;
import io.enipam.examples.swarm.pools.Turns;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Check;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.Host;
import io.enipam.sdk.RpcService;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/** The extension at work: the allocator, and what operators have of it. Thread-safe. */
final class SwarmPart extends Allocator {
    private static final String AUTO = "auto";

    private static final Setting<List<String>> DEFAULT_ADDR_POOL = Setting.texts(
                    "default_addr_pool", "a CIDR", "[0-9./]{9,18}", 16, List.of("10.0.0.0/8"))
            .doc("What subnets of networks that name none are cut from.");

    private static final Setting<Integer> SUBNET_SIZE = Setting.wholeNumber("default_addr_pool_mask_length", 1, 30, 24)
            .doc("The length of such a subnet's prefix.");

    private static final Setting<String> INGRESS_SUBNET = Setting.text(
                    "ingress_subnet", "a CIDR, or auto", "auto|[0-9./]{9,18}", "10.255.0.0/16")
            .doc(
                    "The subnet of an ingress network that is created without one; auto for the next of the default pools.");

    private static final Setting<Duration> RETRY_INTERVAL = Setting.duration(
                    "retry_interval", Duration.ofMillis(1), Duration.ofDays(1), Duration.ofMinutes(5))
            .live()
            .doc("After how long what could not be allocated is tried again, if nothing is given back before.");

    private static final Setting<Integer> DATA_PATH_PORT = Setting.wholeNumber("data_path_port", 0, 65_535, 0)
            .doc("The UDP port to which nodes send VXLANs, 1024 to 49151; 0 for " + Vxlans.USUAL_PORT + ".");

    private static final Setting<Boolean> NETWORK_SUPPORT = Setting.flag("network_support", true)
            .doc(
                    "Whether there are networks; without, an ingress network has no addresses, and there is no other one.");

    /** All of them. */
    static final List<Setting<?>> SETTINGS =
            List.of(DEFAULT_ADDR_POOL, SUBNET_SIZE, INGRESS_SUBNET, RETRY_INTERVAL, DATA_PATH_PORT, NETWORK_SUPPORT);

    private final Operator operator;
    private final Command info;

    /** @throws Refused if it cannot run as configured */
    SwarmPart(Host host) {
        super(
                host.journal(),
                host.clock(),
                () -> host.settings().get(RETRY_INTERVAL),
                networks(host.settings()),
                UUID.randomUUID().toString());
        info = info(host.settings());
        String ingress = host.settings().get(INGRESS_SUBNET);
        operator = new Operator(host, this::waiting, this::leads, ingress.equals(AUTO) ? "" : ingress);
    }

    private static Function<Turns, NetworkAllocator> networks(Settings settings) {
        List<String> pools = settings.get(DEFAULT_ADDR_POOL);
        int size = settings.get(SUBNET_SIZE);
        if (!settings.get(NETWORK_SUPPORT)) {
            return NetworkAllocator::inert;
        }
        new AddressSpace(pools, size); // whether it can be
        return turns -> new NetworkAllocator(
                Map.of("default", new AddressSpace(pools, size, turns), "null", PoolSource.NONE), turns);
    }

    private static Command info(Settings settings) {
        String text = "Default Address Pool: " + String.join(" ", settings.get(DEFAULT_ADDR_POOL))
                + "\nSubnetSize: " + settings.get(SUBNET_SIZE)
                + "\nData Path Port: " + Vxlans.port(settings.get(DATA_PATH_PORT));
        return Command.of(
                CommandSpec.read("The default pools and the UDP port of VXLANs, as in docker info.", "swarm", "info"),
                call -> Answer.text(text));
    }

    @Override
    public List<Command> commands() {
        return Stream.concat(operator.commands().stream(), Stream.of(info)).toList();
    }

    @Override
    public List<Check> checks() {
        return operator.checks();
    }

    @Override
    public List<RpcService> services() {
        return operator.services();
    }

    @Override
    public void close() {
        operator.close();
    }
}
