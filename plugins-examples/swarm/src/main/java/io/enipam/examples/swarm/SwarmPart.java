package io.enipam.examples.swarm;

import io.enipam.examples.swarm.allocate.Allocator;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import io.enipam.examples.swarm.pools.AddressSpace;
import io.enipam.examples.swarm.pools.AllocationException;
import io.enipam.examples.swarm.pools.PoolSource;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Coordinator;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.Next;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Source;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** The extension at work: the allocator, and what operators have of it. Thread-safe. */
final class SwarmPart implements Controller, Coordinator {
    private static final Setting<List<String>> DEFAULT_ADDR_POOL = Setting.texts(
                    "default_addr_pool", "a CIDR", "[0-9./]{9,18}", 16, List.of("10.0.0.0/8"))
            .doc("What subnets of networks that name none are cut from.");

    private static final Setting<Integer> SUBNET_SIZE = Setting.wholeNumber("default_addr_pool_mask_length", 1, 30, 24)
            .doc("The length of such a subnet's prefix.");

    private static final Setting<Duration> RETRY_INTERVAL = Setting.duration(
                    "retry_interval", Duration.ofMillis(1), Duration.ofDays(1), Duration.ofMinutes(5))
            .live()
            .doc("After how long what could not be allocated is tried again, if nothing is given back before.");

    /** All of them. */
    static final List<Setting<?>> SETTINGS = List.of(DEFAULT_ADDR_POOL, SUBNET_SIZE, RETRY_INTERVAL);

    private final Allocator allocator;

    /** @throws FactoryException if it cannot run as configured */
    SwarmPart(Host host) {
        Settings settings = host.settings();
        List<String> pools = settings.get(DEFAULT_ADDR_POOL);
        int size = settings.get(SUBNET_SIZE);
        try {
            networks(pools, size);
        } catch (AllocationException e) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.valueOf(e.getMessage()), e);
        }
        allocator = new Allocator(
                host.journal(),
                host.clock(),
                () -> host.settings().get(RETRY_INTERVAL),
                () -> networks(pools, size),
                UUID.randomUUID().toString());
    }

    private static NetworkAllocator networks(List<String> pools, int size) {
        return new NetworkAllocator(Map.of("default", new AddressSpace(pools, size), "null", PoolSource.NONE));
    }

    @Override
    public List<Source> watches() {
        return allocator.watches();
    }

    @Override
    public Next reconcile(String key, Transaction tx) {
        return allocator.reconcile(key, tx);
    }

    @Override
    public Limits limits() {
        return allocator.limits();
    }

    @Override
    public void decided(Tally tally, Transaction tx) {
        allocator.decided(tally, tx);
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        return allocator.perform(effect);
    }

    Allocator allocator() {
        return allocator;
    }
}
