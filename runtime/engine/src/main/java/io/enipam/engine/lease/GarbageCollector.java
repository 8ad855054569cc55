package io.enipam.engine.lease;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.GarbageCollector.GcReport.ClaimEnd;
import io.enipam.engine.lease.GarbageCollector.GcReport.ClaimsReport;
import io.enipam.engine.lease.OrphanRule.OrphanCandidate;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.GrantDirectory;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Ends leases, and claims on allocators, whose pod is gone though no DEL came.
 *
 * <p>The list of pods only nominates candidates: it may be stale. Then the source of truth must prove to be this
 * node's. The collector asks it for each candidate by name, uncached, and ends the lease only if the pod is gone for
 * certain ({@link OrphanRule}). A sandbox whose pod is unknown has no name to ask for: for such ones all pods are
 * listed anew, uncached. Where most of the node's leases would end at once, an event says so, and a pause precedes the
 * question. The end is the ordinary DEL of exactly the lease that was examined, so a lease that came meanwhile is safe.
 * One candidate's trouble is reported and does not keep the others. Sandboxes that a start-up found connected without a
 * lease are disconnected by the same rule. At the end the leases of the pods that live are brought in line with them
 * ({@link PodSync}).
 */
public final class GarbageCollector {
    /** From so many on it is strange if most pods of a node are gone, and the runtime sent no DEL. */
    private static final int MANY = 8;

    private final LeaseContext context;
    private final DelProcedure del;
    private final GrantDirectory grants;
    private final OrphanRule rule;
    private final PodSync sync;
    private final KeyedQueue<String> turns = new KeyedQueue<>();

    public GarbageCollector(LeaseContext context, DelProcedure del, GrantDirectory grants) {
        this.context = context;
        this.del = del;
        this.grants = grants;
        this.sync = new PodSync(context);
        this.rule = new OrphanRule(context);
    }

    /** One garbage collection, after those that are under way. */
    public CompletableFuture<GcReport> collect(boolean dryRun) {
        return turns.run("gc", () -> run(new Run(context.time(), dryRun)));
    }

    private CompletionStage<GcReport> run(Run run) {
        List<Lease> leases = context.leases().all();
        List<ServedClaim> claims = claims(run);
        run.examined = leases.size();
        run.examinedClaims = claims.size();
        if (!context.pods().isAuthoritative()) {
            context.podStore().leased(leases);
        }
        Stream<OrphanCandidate> strays = context.strays().all().stream()
                .filter(stray -> context.leases().find(stray.owner()).isEmpty())
                .map(OrphanCandidate::of);
        List<OrphanCandidate> all = Stream.of(
                        leases.stream().map(OrphanCandidate::of),
                        strays,
                        claims.stream().flatMap(claim -> OrphanCandidate.of(claim).stream()))
                .flatMap(Function.identity())
                .toList();
        if (all.isEmpty()) {
            return CompletableFuture.completedFuture(run.report(context.time()));
        }
        return rule.ask(context.pods()::list)
                .handle((known, error) -> {
                    if (error == null) {
                        return examineAll(all, known, run).thenCompose(done -> inLine(known, run));
                    }
                    run.problems.add("the pods could not be listed: "
                            + Stages.cause(error).getMessage());
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(stage -> stage)
                .exceptionally(error -> {
                    run.problems.add(
                            "nothing was taken for gone: " + Stages.cause(error).getMessage());
                    return null;
                })
                .thenApply(done -> finish(run));
    }

    /** What plugins keep does not hold up the collection of leases. */
    private List<ServedClaim> claims(Run run) {
        try {
            return grants.all();
        } catch (RuntimeException e) {
            run.problems.add("the grants of plugins could not be read: " + e.getMessage());
            return List.of();
        }
    }

    private CompletionStage<Void> examineAll(List<OrphanCandidate> all, List<Pod> known, Run run) {
        List<OrphanCandidate> candidates = rule.suspects(all, known);
        if (candidates.isEmpty()) {
            take(known);
            return CompletableFuture.completedFuture(null);
        }
        return hesitate(candidates.size(), all.size(), run)
                .thenCompose(done -> rule.ask(context.pods()::verifyIdentity))
                .thenCompose(done -> {
                    take(known);
                    return inTurn(candidates, 0, run);
                });
    }

    private CompletionStage<Void> inLine(List<Pod> known, Run run) {
        return run.dryRun
                ? CompletableFuture.completedFuture(null)
                : sync.run(known).thenAccept(run.problems::addAll);
    }

    private void take(List<Pod> known) {
        if (context.pods().isAuthoritative()) {
            context.podStore().listed(known);
        }
    }

    private CompletionStage<Void> hesitate(int gone, int of, Run run) {
        Duration pause = context.pods().recheckDelay();
        if (run.dryRun || pause.isZero() || gone < MANY || gone * 2 <= of) {
            return CompletableFuture.completedFuture(null);
        }
        String what = gone + " of " + of + " leases seem to have no pod any more: each is asked for in "
                + pause.toSeconds() + " s, before it ends";
        context.events().warning("ManyPodsGone", "gc", what);
        return Stages.pause(pause, context.scheduler());
    }

    private CompletionStage<Void> inTurn(List<OrphanCandidate> candidates, int at, Run run) {
        if (at == candidates.size()) {
            return CompletableFuture.completedFuture(null);
        }
        OrphanCandidate candidate = candidates.get(at);
        return Stages.call(() -> examine(candidate, run))
                .exceptionally(error -> {
                    run.problems.add(
                            candidate.pod() + ": " + Stages.cause(error).getMessage());
                    return null;
                })
                // a fresh task each: a long list of instant answers must not deepen the stack
                .thenCompose(done -> {
                    CompletableFuture<Void> rest = new CompletableFuture<>();
                    context.scheduler()
                            .execute(() -> Stages.call(() -> inTurn(candidates, at + 1, run))
                                    .whenComplete((end, error) -> rest.complete(null)));
                    return rest;
                });
    }

    private CompletionStage<Void> examine(OrphanCandidate candidate, Run run) {
        return rule.decide(candidate, () -> run.listed(() -> rule.ask(context.pods()::listUncached)))
                .thenCompose(decision -> {
                    if (decision instanceof OrphanDecision.Orphan orphan) {
                        return candidate
                                .lease()
                                .map(lease -> end(lease, orphan.reason(), run))
                                .or(() -> candidate.claim().map(claim -> end(claim, orphan.reason(), run)))
                                .orElseGet(() -> disconnect(candidate, orphan.reason(), run));
                    }
                    if (decision instanceof OrphanDecision.Spared spared) {
                        candidate.lease().ifPresent(lease -> run.spared.add(new GcReport.Spared(lease, spared)));
                        candidate
                                .claim()
                                .ifPresent(claim -> run.sparedClaims.add(new ClaimEnd(claim, spared.reason())));
                    }
                    return CompletableFuture.completedFuture(null);
                });
    }

    /**
     * What the next collection makes of a lease, or of a claim on an allocator, by the same rule. Nothing is changed.
     *
     * @return empty if there is neither; fails if it could not be found out
     */
    public CompletableFuture<Optional<OrphanDecision>> decide(OwnerKey owner) {
        return context.leases()
                .find(owner)
                .map(OrphanCandidate::of)
                .or(() -> grants.all().stream()
                        .flatMap(claim -> OrphanCandidate.of(claim).stream())
                        .filter(candidate -> candidate.owner().equals(owner))
                        .findFirst())
                .map(candidate -> decide(candidate).thenApply(Optional::of))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private CompletableFuture<OrphanDecision> decide(OrphanCandidate candidate) {
        return rule.ask(context.pods()::list)
                .thenCompose(known -> rule.suspects(candidate, known)
                        ? rule.ask(context.pods()::verifyIdentity)
                                .thenCompose(
                                        done -> rule.decide(candidate, () -> rule.ask(context.pods()::listUncached)))
                        : CompletableFuture.completedFuture(new OrphanDecision.Kept()));
    }

    private CompletionStage<Void> end(Lease lease, String reason, Run run) {
        if (run.dryRun) {
            run.collected.add(new GcReport.Collected(lease, reason));
            return CompletableFuture.completedFuture(null);
        }
        Trace trace = context.traces().begin(Trace.Operation.GC, TraceSink.Subject.of(lease.owner(), lease.pod()));
        trace.with("why", reason).with("asked", context.pods().source());
        return Stages.traced(trace, del.delExactly(lease, reason, trace)).thenAccept(outcome -> {
            if (outcome.released().isPresent()) {
                run.collected.add(new GcReport.Collected(lease, reason));
            }
        });
    }

    private CompletionStage<Void> end(ServedClaim claim, String reason, Run run) {
        if (run.dryRun) {
            run.collectedClaims.add(new ClaimEnd(claim, reason));
            return CompletableFuture.completedFuture(null);
        }
        Trace trace = context.traces()
                .begin(Trace.Operation.GC, new TraceSink.Subject(claim.owner(), claim.pod(), "", List.of()));
        trace.with("why", reason).with("asked", context.pods().source()).with("extension", claim.extension());
        return Stages.traced(trace, Stages.call(() -> grants.end(claim, trace)).toCompletableFuture())
                .thenAccept(ended -> {
                    if (ended) {
                        run.collectedClaims.add(new ClaimEnd(claim, reason));
                    }
                });
    }

    private CompletionStage<Void> disconnect(OrphanCandidate stray, String reason, Run run) {
        if (run.dryRun) {
            return CompletableFuture.completedFuture(null);
        }
        String what = "container " + stray.owner().containerId() + " was connected without a lease, and is no more: "
                + reason;
        return del.del(stray.owner(), "gc")
                .thenAccept(done ->
                        context.events().info("StrayDisconnected", stray.pod().toString(), what));
    }

    private GcReport finish(Run run) {
        GcReport report = run.report(context.time());
        if (run.dryRun) {
            // nothing happened; the caller has the report
            return report;
        }
        String what = report.collected().size() + " of " + report.examined() + " leases collected"
                + (report.claims().examined() == 0
                        ? ""
                        : ", " + report.claims().collected().size() + " of "
                                + report.claims().examined() + " grants of plugins");
        List<String> problems = report.problems();
        if (problems.isEmpty()) {
            context.events().info("GcFinished", "gc", what);
        } else {
            String first = what + ", " + problems.size() + " problems: " + problems.get(0);
            context.events().warning("GcFinished", "gc", first);
        }
        return report;
    }

    /** What one run has found so far; touched by one stage at a time. */
    private static final class Run {
        private final Instant startedAt;
        private final long startedNanos;
        private final boolean dryRun;
        private final List<GcReport.Collected> collected = new ArrayList<>();
        private final List<GcReport.Spared> spared = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();
        private final List<ClaimEnd> collectedClaims = new ArrayList<>();
        private final List<ClaimEnd> sparedClaims = new ArrayList<>();
        private int examined;
        private int examinedClaims;
        private Optional<CompletableFuture<List<Pod>>> listed = Optional.empty();

        private Run(TimeSource time, boolean dryRun) {
            this.startedAt = time.now();
            this.startedNanos = time.nanoTime();
            this.dryRun = dryRun;
        }

        private CompletableFuture<List<Pod>> listed(Supplier<CompletableFuture<List<Pod>>> question) {
            CompletableFuture<List<Pod>> answer = listed.orElseGet(question);
            listed = Optional.of(answer);
            return answer;
        }

        /** It took what the clock that never jumps says. */
        private GcReport report(TimeSource time) {
            Instant ended = startedAt.plusNanos(time.nanoTime() - startedNanos);
            ClaimsReport claims = new ClaimsReport(examinedClaims, collectedClaims, sparedClaims);
            return new GcReport(startedAt, ended, dryRun, examined, collected, spared, problems, claims);
        }
    }

    /**
     * @param examined how many leases there were
     * @param collected leases whose pod is gone: ended, or, in a dry run, those that would be
     * @param problems why a lease or a claim could not be examined or ended, one line each
     */
    public record GcReport(
            Instant startedAt,
            Instant finishedAt,
            boolean dryRun,
            int examined,
            List<Collected> collected,
            List<Spared> spared,
            List<String> problems,
            ClaimsReport claims) {
        public GcReport {
            collected = List.copyOf(collected);
            spared = List.copyOf(spared);
            problems = List.copyOf(problems);
        }

        /**
         * One lease that ended, or would.
         *
         * @param reason why: the pod is gone, has finished, or is another one of the same name
         */
        public record Collected(Lease lease, String reason) {}

        /** One lease that stays though its pod seems to be gone. */
        public record Spared(Lease lease, OrphanDecision.Spared decision) {}

        /**
         * The same of claims on allocators.
         *
         * @param collected whose pod is gone: ended, or, in a dry run, those that would be
         */
        public record ClaimsReport(int examined, List<ClaimEnd> collected, List<ClaimEnd> spared) {
            public static final ClaimsReport NONE = new ClaimsReport(0, List.of(), List.of());

            public ClaimsReport {
                collected = List.copyOf(collected);
                spared = List.copyOf(spared);
            }
        }

        /** @param reason why it ended, or stays */
        public record ClaimEnd(ServedClaim claim, String reason) {}
    }
}
