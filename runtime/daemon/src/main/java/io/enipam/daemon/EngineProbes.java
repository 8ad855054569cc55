package io.enipam.daemon;

import io.enipam.diagnostics.doctor.CloudChecks.UnfinishedWork;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.doctor.PoolChecks.GcPreview;
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
import io.enipam.node.overrides.CapacityOverrides.IssuedOverride;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/** The facts of the engine and its database for the doctor. Facts that may be in transition are read twice. */
record EngineProbes(QueryModule query, SourceComparison comparing) {
    /** Older than any operation in progress. */
    private static final Duration OLD = Duration.ofMinutes(5);

    void addTo(Probes probes) {
        probes.with(EngineState.class, this::state)
                .with(
                        SourceDifferences.class,
                        () -> SourceDifferences.of(DoctorModule.get(comparing.look(Patience.ANEW, this::matters))))
                .with(PoolOverride.class, this::override)
                .with(GcPreview.class, this::stale)
                .with(UnfinishedWork.class, this::unfinished);
    }

    private EngineState state() {
        IpamEngine engine = query.running().engine;
        return new EngineState(
                engine.status(),
                engine.pool(),
                query.on().base().live.now().engine(),
                engine.pendingWork(),
                engine.factories(),
                query.on().node().pods.isAuthoritative());
    }

    private PoolOverride override() {
        IssuedOverride given = query.running().overrides.issued();
        return new PoolOverride(given.order(), given.by());
    }

    /** Pods that are gone come from garbage collection, which asks for each of them; others have what a plugin granted. */
    private boolean matters(Difference difference) {
        return switch (difference.kind()) {
            case POD_GONE -> false;
            case POD_WITHOUT_LEASE -> !granted(difference);
            default -> true;
        };
    }

    private boolean granted(Difference difference) {
        Set<String> granted = query.running().plugins.claims().all().stream()
                .filter(claim -> claim.pod().equals(difference.pod()))
                .flatMap(claim -> claim.held().grant().stream())
                .flatMap(grant -> grant.prefixes().stream())
                .map(prefix -> prefix.address().host())
                .collect(Collectors.toSet());
        return granted.containsAll(difference.addresses());
    }

    private void mustServe() {
        if (query.running().engine.status().phase() != EngineStatus.Phase.READY) {
            throw new MissingFact("the engine does not serve yet");
        }
    }

    private GcPreview stale() throws Exception {
        mustServe();
        if (!query.on().node().pods.isAuthoritative()) {
            throw new MissingFact("it is unknown which pods there are; see pods-unknown");
        }
        return TwoReads.of(
                this::dryRun,
                found -> found.leases().isEmpty() && found.grants().isEmpty(),
                (first, second) -> new GcPreview(
                        TwoReads.common(first.leases(), second.leases()),
                        TwoReads.common(first.grants(), second.grants()),
                        second.problems()));
    }

    private GcPreview dryRun() throws InterruptedException, ExecutionException {
        GcReport report = DoctorModule.get(query.running().engine.collect(true));
        return new GcPreview(report.collected(), report.claims().collected(), report.problems());
    }

    private UnfinishedWork unfinished() throws Exception {
        mustServe();
        ResourceDb db = query.on().storage().db();
        Instant old = query.on().base().time.now().minus(OLD);
        return TwoReads.of(
                () -> begunBefore(old, db.contents()),
                found -> found.intents().isEmpty() && found.operations().isEmpty(),
                (first, second) -> new UnfinishedWork(
                        TwoReads.common(first.intents(), second.intents()),
                        TwoReads.common(first.operations(), second.operations())));
    }

    private static UnfinishedWork begunBefore(Instant moment, ResourceDb.Contents contents) {
        return new UnfinishedWork(
                contents.intents().stream()
                        .filter(one -> one.since().isBefore(moment))
                        .toList(),
                contents.operations().stream()
                        .filter(one -> one.since().isBefore(moment))
                        .toList());
    }
}
