package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.WaiterView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The engine's memory: the pool, the queue of waiting ADDs, and what is under way. */
public final class PoolSource extends Source<PoolSource.PoolState> {
    private final IpamEngine engine;

    public PoolSource(IpamEngine engine) {
        super(POOL, PoolState.class, Duration.ofSeconds(2));
        this.engine = engine;
    }

    /**
     * What the engine has in memory.
     *
     * @param pool every resource and its state
     * @param leases by owner
     * @param order the operator's override of the watermarks
     * @param agenda what is under way and what comes next
     */
    public record PoolState(PoolView pool, List<Lease> leases, CapacityOverride order, PendingWork agenda) {
        public PoolState {
            leases = List.copyOf(leases);
        }
    }

    @Override
    public CompletionStage<PoolState> ask() {
        return CompletableFuture.completedFuture(
                new PoolState(engine.pool(), engine.leases(), engine.capacityOverride(), engine.pendingWork()));
    }

    @Override
    public List<Statement> statements(PoolState answer) {
        List<Statement> all = new ArrayList<>();
        answer.pool().entries().forEach(entry -> all.add(entry(entry)));
        int place = 1;
        for (WaiterView waiting : answer.agenda().queue()) {
            all.add(waiting(waiting, place++));
        }
        return all;
    }

    private static Statement entry(PoolView.Entry entry) {
        return Statement.of(
                Topic.RESOURCE,
                entry.resource(),
                entry.owner(),
                entry.pod(),
                entry.state().name(),
                Optional.of(entry.since()),
                entry.state().name()
                        + entry.owner()
                                .map(owner -> " by pod "
                                        + entry.pod().map(Object::toString).orElse("?") + ", container "
                                        + owner.containerId())
                                .or(() -> entry.pod().map(pod -> ", pod " + pod))
                                .orElse(""));
    }

    private static Statement waiting(WaiterView waiting, int place) {
        return new Statement(
                Topic.WAITER,
                Set.of(),
                "",
                Optional.of(waiting.owner()),
                Optional.of(waiting.pod()),
                "WAITING",
                Optional.of(waiting.since()),
                "waits for an address, place " + place + " in the queue");
    }
}
