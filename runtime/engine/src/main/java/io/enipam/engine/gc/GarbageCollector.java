package io.enipam.engine.gc;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.DelProcedure;
import io.enipam.engine.lease.LeaseBook;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.StandIn;
import io.enipam.engine.pods.PodStore;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Ends leases whose pod is gone though no DEL came.
 *
 * <p>The list of pods only nominates candidates: it may be stale. Each candidate is then asked for by name, uncached, and
 * ended only if it is gone for certain: it does not exist, has run to its end, or is another pod of the same name; a lease that
 * was made for a pod by its address alone ends when the pod has another one, too. The end is the ordinary DEL of exactly the lease that was judged, so a lease that came meanwhile is safe. One candidate's trouble is
 * reported and does not keep the others.
 */
public final class GarbageCollector {
    private static final Duration ASK = Duration.ofSeconds(10);

    private final TimeSource time;
    private final Scheduler scheduler;
    private final PodDirectory pods;
    private final PodStore copies;
    private final LeaseBook book;
    private final DelProcedure del;
    private final EventSink events;
    private final KeyedQueue<String> turns = new KeyedQueue<>();

    public GarbageCollector(
            TimeSource time,
            Scheduler scheduler,
            PodDirectory pods,
            PodStore copies,
            LeaseBook book,
            DelProcedure del,
            EventSink events) {
        this.time = time;
        this.scheduler = scheduler;
        this.pods = pods;
        this.copies = copies;
        this.book = book;
        this.del = del;
        this.events = events;
    }

    /** One garbage collection, after those that are under way. */
    public CompletableFuture<GcReport> collect(boolean dryRun) {
        return turns.run("gc", () -> run(new Run(time.now(), dryRun)));
    }

    private CompletionStage<GcReport> run(Run run) {
        List<Lease> leases = book.all();
        run.examined = leases.size();
        if (leases.isEmpty()) {
            return CompletableFuture.completedFuture(run.report(time.now()));
        }
        return ask(pods::list)
                .thenCompose(known -> {
                    copies.listed(known);
                    return inTurn(candidates(leases, known), 0, run);
                })
                .exceptionally(error -> {
                    run.problems.add("the pods could not be listed: "
                            + Stages.cause(error).getMessage());
                    return null;
                })
                .thenApply(done -> finish(run));
    }

    private static List<Lease> candidates(List<Lease> leases, List<Pod> known) {
        Map<PodRef, Pod> byName = known.stream().collect(Collectors.toMap(Pod::ref, Function.identity(), (a, b) -> b));
        return leases.stream()
                .filter(lease -> gone(lease, Optional.ofNullable(byName.get(lease.pod())))
                        .isPresent())
                .toList();
    }

    private CompletionStage<Void> inTurn(List<Lease> candidates, int at, Run run) {
        if (at == candidates.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Lease lease = candidates.get(at);
        return judge(lease, run)
                .exceptionally(error -> {
                    run.problems.add(lease.pod() + ": " + Stages.cause(error).getMessage());
                    return null;
                })
                // a fresh task each: a long list of instant answers must not deepen the stack
                .thenCompose(done -> {
                    CompletableFuture<Void> rest = new CompletableFuture<>();
                    scheduler.execute(
                            () -> inTurn(candidates, at + 1, run).whenComplete((end, error) -> rest.complete(null)));
                    return rest;
                });
    }

    private CompletionStage<Void> judge(Lease lease, Run run) {
        return ask(() -> pods.find(lease.pod())).thenCompose(found -> {
            Optional<String> reason = gone(lease, found);
            if (reason.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            if (run.dryRun) {
                run.collected.add(new GcReport.Collected(lease, reason.get()));
                return CompletableFuture.completedFuture(null);
            }
            return del.delExactly(lease).thenAccept(outcome -> {
                if (outcome.released().isPresent()) {
                    run.collected.add(new GcReport.Collected(lease, reason.get()));
                }
            });
        });
    }

    /** Why a lease's pod counts as gone, or empty if it does not. A UID that nobody told proves nothing. */
    private static Optional<String> gone(Lease lease, Optional<Pod> found) {
        if (found.isEmpty()) {
            return Optional.of("the pod does not exist");
        }
        Pod pod = found.get();
        if (pod.finished()) {
            return Optional.of("the pod has finished");
        }
        boolean another =
                !pod.uid().isEmpty() && !lease.podUid().isEmpty() && !pod.uid().equals(lease.podUid());
        if (another) {
            return Optional.of("another pod has its name now");
        }
        boolean elsewhere = StandIn.is(lease.owner())
                && !pod.addresses().isEmpty()
                && lease.resource().addresses().stream()
                        .noneMatch(address -> pod.addresses().contains(address.ip()));
        return elsewhere ? Optional.of("the pod has another address now") : Optional.empty();
    }

    private GcReport finish(Run run) {
        GcReport report = run.report(time.now());
        String what = report.collected().size() + " of " + report.examined() + " leases"
                + (run.dryRun ? " would be collected" : " collected");
        if (!report.problems().isEmpty()) {
            events.warning(
                    "GcFinished",
                    "gc",
                    what + ", " + report.problems().size() + " problems: "
                            + report.problems().get(0));
        } else {
            events.info("GcFinished", "gc", what);
        }
        return report;
    }

    private <T> CompletableFuture<T> ask(java.util.function.Supplier<CompletionStage<T>> question) {
        return Stages.within(
                Stages.call(question),
                ASK,
                scheduler,
                () -> new IpamException(ErrorCode.DEADLINE_EXCEEDED, "no answer within " + ASK.toSeconds() + "s", ""));
    }

    /** What one run has found so far; touched by one stage at a time. */
    private static final class Run {
        private final Instant startedAt;
        private final boolean dryRun;
        private final List<GcReport.Collected> collected = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();
        private int examined;

        private Run(Instant startedAt, boolean dryRun) {
            this.startedAt = startedAt;
            this.dryRun = dryRun;
        }

        private GcReport report(Instant now) {
            return new GcReport(startedAt, now, dryRun, examined, collected, problems);
        }
    }
}
