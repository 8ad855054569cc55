package io.enipam.daemon;

import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.doctor.CloudChecks.UnfinishedWork;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.LeaseChecks.GcPreview;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.doctor.PoolChecks.PoolOverride;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.doctor.SourceChecks.SourceDifferences;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.diagnostics.sources.compare.SourceComparison.Patience;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.port.ResourceDb;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.node.overrides.CapacityOverrides.IssuedOverride;
import io.enipam.node.pods.NodePods;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The facts of the engine and its database for the doctor. Facts that may be in transition are read twice. */
record EngineProbes(
        DaemonInfo facts,
        LiveConfig config,
        IpamEngine engine,
        ResourceDb db,
        NodePods pods,
        CapacityOverrides orders,
        SourceComparison comparing) {
    /** The pause between two reads of such a fact. */
    private static final Duration PAUSE = Duration.ofSeconds(2);
    /** Older than any operation in progress. */
    private static final Duration OLD = Duration.ofMinutes(5);

    Probes addTo(Probes probes) {
        return probes.with(EngineState.class, this::engineFacts)
                .with(
                        SourceDifferences.class,
                        () -> SourceDifferences.of(soon(comparing.look(Patience.THOROUGH, EngineProbes::matters))))
                .with(PoolOverride.class, this::orderFacts)
                .with(GcPreview.class, this::stale)
                .with(UnfinishedWork.class, this::pending);
    }

    private EngineState engineFacts() {
        return new EngineState(
                engine.status(),
                engine.pool(),
                config.now().engine(),
                engine.pendingWork(),
                engine.factories(),
                pods.isAuthoritative());
    }

    private PoolOverride orderFacts() {
        IssuedOverride given = orders.issued();
        return new PoolOverride(given.order(), given.by());
    }

    /** Pods that are gone come from garbage collection, which asks for each of them. */
    private static boolean matters(Difference difference) {
        return difference.kind() != Difference.Kind.POD_GONE;
    }

    private void mustServe() {
        if (engine.status().phase() != EngineStatus.Phase.READY) {
            throw new MissingFact("the engine does not serve yet");
        }
    }

    /** The common result of two dry runs, a moment apart, so that a DEL in progress is no finding. */
    private GcPreview stale() throws Exception {
        mustServe();
        if (!pods.isAuthoritative()) {
            throw new MissingFact("nobody knows which pods there are; see pods-unknown");
        }
        GcReport first = soon(engine.collect(true));
        if (first.collected().isEmpty()) {
            return new GcPreview(List.of(), first.problems());
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        Set<GcReport.Collected> before = new HashSet<>(first.collected());
        GcReport second = soon(engine.collect(true));
        return new GcPreview(
                second.collected().stream().filter(before::contains).toList(), second.problems());
    }

    private UnfinishedWork pending() throws InterruptedException {
        mustServe();
        Instant old = facts.time().now().minus(OLD);
        ResourceDb.Contents first = db.contents();
        UnfinishedWork suspected = new UnfinishedWork(
                first.intents().stream().filter(i -> i.since().isBefore(old)).toList(),
                first.operations().stream().filter(o -> o.since().isBefore(old)).toList());
        if (suspected.intents().isEmpty() && suspected.operations().isEmpty()) {
            return suspected;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        ResourceDb.Contents second = db.contents();
        return new UnfinishedWork(
                suspected.intents().stream().filter(second.intents()::contains).toList(),
                suspected.operations().stream()
                        .filter(second.operations()::contains)
                        .toList());
    }

    private static <T> T soon(CompletionStage<T> stage) throws InterruptedException, ExecutionException {
        return stage.toCompletableFuture().get();
    }
}
