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
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.node.overrides.CapacityOverrides.IssuedOverride;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The facts of the engine and its database for the doctor. Facts that may be in transition are read twice. */
record EngineProbes(QueryModule query, SourceComparison comparing) {
    /** The pause between two reads of such a fact. */
    private static final Duration PAUSE = Duration.ofSeconds(2);
    /** Older than any operation in progress. */
    private static final Duration OLD = Duration.ofMinutes(5);

    void addTo(Probes probes) {
        probes.with(EngineState.class, this::state)
                .with(
                        SourceDifferences.class,
                        () -> SourceDifferences.of(DoctorModule.get(comparing.look(Patience.THOROUGH, this::matters))))
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

    /** The common result of two dry runs, a moment apart, so that a DEL in progress is no finding. */
    private GcPreview stale() throws InterruptedException, ExecutionException {
        mustServe();
        if (!query.on().node().pods.isAuthoritative()) {
            throw new MissingFact("it is unknown which pods there are; see pods-unknown");
        }
        IpamEngine engine = query.running().engine;
        GcReport first = DoctorModule.get(engine.collect(true));
        if (first.collected().isEmpty() && first.claims().collected().isEmpty()) {
            return new GcPreview(List.of(), List.of(), first.problems());
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        GcReport second = DoctorModule.get(engine.collect(true));
        return new GcPreview(
                common(first.collected(), second.collected()),
                common(first.claims().collected(), second.claims().collected()),
                second.problems());
    }

    private UnfinishedWork unfinished() throws InterruptedException {
        mustServe();
        ResourceDb db = query.on().storage().db();
        Instant old = query.on().base().time.now().minus(OLD);
        ResourceDb.Contents first = db.contents();
        List<Intent> intents = first.intents().stream()
                .filter(one -> one.since().isBefore(old))
                .toList();
        List<CloudJournal.Entry> operations = first.operations().stream()
                .filter(one -> one.since().isBefore(old))
                .toList();
        if (intents.isEmpty() && operations.isEmpty()) {
            return new UnfinishedWork(intents, operations);
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        ResourceDb.Contents second = db.contents();
        return new UnfinishedWork(common(second.intents(), intents), common(second.operations(), operations));
    }

    /** What both reads have. */
    static <T> List<T> common(Collection<T> one, Collection<T> other) {
        Set<T> both = new LinkedHashSet<>(other);
        both.retainAll(new HashSet<>(one));
        return List.copyOf(both);
    }
}
