package io.enipam.pluginhost.controller;

import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Leadership;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.extension.Effects;
import io.enipam.pluginhost.extension.Extensions;
import io.enipam.pluginhost.extension.Extensions.Candidate;
import io.enipam.pluginhost.extension.LedgerHost;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Host;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ledger.Ledger;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;

/** A host that runs one controller of the name {@code blocks}. */
final class Replica implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorScheduler engine = new ExecutorScheduler();
    private final SystemTime time = new SystemTime();
    private final PluginGuard guard = new PluginGuard(
            "ipam", getClass().getClassLoader(), GuardLimits.DEFAULT, time, engine, engine, health -> {});
    private final Extensions extensions;
    final RecordedEvents events = new RecordedEvents(time);
    final RecordedTraces traces = new RecordedTraces(time);
    final Effects effects;
    final Controllers controllers;

    Replica(String name, ClusterObjects cluster, Function<Host, Controller> open) {
        Leadership leadership = cluster.lease.of(name);
        effects = new Effects(leadership, time, engine, new SplittableRandom(1));
        controllers = new Controllers(effects, leadership, time, engine, events, new SplittableRandom(1));
        controllers.traced(traces);
        extensions = new Extensions(time, engine, events, new SplittableRandom(1));
        extensions.follow(controllers);
        extensions.follow(effects);
        extensions.add(List.of(new Candidate(
                "ipam",
                Extension.of("blocks", Set.of(Role.NODE), open),
                guard.extension("blocks"),
                () -> new LedgerHost(
                        Settings.usual(List.of()), new Ledger(cluster.journalOf(name), "blocks", Clock.systemUTC())))));
        extensions.configure(Set.of("blocks"), plugin -> Settings.usual(List.of()));
        // listeners hear of it a moment after it runs
        await().atMost(PATIENCE)
                .until(() -> extensions.running("blocks").isPresent()
                        && !controllers.all().isEmpty());
    }

    ControllerView view() {
        return controllers.all().get(0);
    }

    void awaitState(ControllerView.State state) {
        await().atMost(PATIENCE).until(() -> view().state() == state);
    }

    @Override
    public void close() {
        extensions.close();
        guard.close();
        engine.close();
    }
}
