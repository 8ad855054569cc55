package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Saying.Topic;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.WaiterView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The engine's memory: the pool, who waits, and what is under way. */
public final class PoolSource implements Source<PoolWord> {
    private final IpamEngine engine;

    public PoolSource(IpamEngine engine) {
        this.engine = engine;
    }

    @Override
    public String name() {
        return "pool";
    }

    @Override
    public Class<PoolWord> type() {
        return PoolWord.class;
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(2);
    }

    @Override
    public CompletionStage<PoolWord> ask() {
        return CompletableFuture.completedFuture(
                new PoolWord(engine.pool(), engine.leases(), engine.capacityOverride(), engine.pendingWork()));
    }

    @Override
    public List<Saying> sayings(PoolWord told) {
        List<Saying> all = new ArrayList<>();
        told.pool().entries().forEach(entry -> all.add(entry(entry)));
        int place = 1;
        for (WaiterView waiting : told.agenda().queue()) {
            all.add(waiting(waiting, place++));
        }
        return all;
    }

    private static Saying entry(PoolView.Entry entry) {
        return new Saying(
                Topic.RESOURCE,
                entry.resource().id().value(),
                Saying.hosts(entry.resource()),
                Saying.eniOf(entry.resource()),
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

    private static Saying waiting(WaiterView waiting, int place) {
        return new Saying(
                Topic.WAITER,
                waiting.owner().toString(),
                Set.of(),
                "",
                Optional.of(waiting.owner()),
                Optional.of(waiting.pod()),
                "WAITING",
                Optional.of(waiting.since()),
                "waits for an address, place " + place + " in the queue");
    }
}
