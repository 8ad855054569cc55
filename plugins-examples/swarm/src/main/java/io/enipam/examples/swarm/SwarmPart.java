package io.enipam.examples.swarm;

import io.enipam.examples.swarm.allocate.Allocator;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import io.enipam.examples.swarm.operate.Operator;
import io.enipam.examples.swarm.pools.AddressSpace;
import io.enipam.examples.swarm.pools.AllocationException;
import io.enipam.examples.swarm.pools.PoolSource;
import io.enipam.examples.swarm.pools.Turns;
import io.enipam.sdk.Check;
import io.enipam.sdk.Command;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.RpcService;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

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

    /** All of them. */
    static final List<Setting<?>> SETTINGS = List.of(DEFAULT_ADDR_POOL, SUBNET_SIZE, INGRESS_SUBNET, RETRY_INTERVAL);

    private final Operator operator;

    /** @throws FactoryException if it cannot run as configured */
    SwarmPart(Host host) {
        super(
                host.journal(),
                host.clock(),
                () -> host.settings().get(RETRY_INTERVAL),
                networks(host.settings()),
                UUID.randomUUID().toString());
        String ingress = host.settings().get(INGRESS_SUBNET);
        operator = new Operator(host, this::waiting, this::leads, ingress.equals(AUTO) ? "" : ingress);
    }

    private static Function<Turns, NetworkAllocator> networks(Settings settings) {
        List<String> pools = settings.get(DEFAULT_ADDR_POOL);
        int size = settings.get(SUBNET_SIZE);
        try {
            new AddressSpace(pools, size);
        } catch (AllocationException e) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.valueOf(e.getMessage()), e);
        }
        return turns -> new NetworkAllocator(
                Map.of("default", new AddressSpace(pools, size, turns), "null", PoolSource.NONE), turns);
    }

    @Override
    public List<Command> commands() {
        return operator.commands();
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
