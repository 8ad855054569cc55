package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Event;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport.Kind;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Compares the pool with what the factories list, and brings it in line: {@link FactoryListComparison} has the rules.
 *
 * <p>A list that fails, is late, or makes no sense changes nothing. What a list leaves out is looked for once more, a
 * second later, before it counts as lost: so one answer that lags, or is empty, takes nothing from any pod. Where all that
 * pods have seems to be lost, however little that is, or much without a reason ({@link FactoryListComparison#doubtful}), it is looked for after ten
 * seconds, and is lost only if the caller of the run accepts that; else the pods keep it, and the report says so.
 *
 * <p>Thread-safe. One run at a time; all callers that ask during a run get the next one. {@code this} guards the
 * waiting callers and what was reported already.
 */
public final class PoolReconciler {
    private static final Duration LIST = Duration.ofSeconds(60);
    private static final Duration SECOND_LOOK = Duration.ofSeconds(1);
    private static final Duration DOUBTFUL_LOOK = Duration.ofSeconds(10);
    /** Beyond so many of a kind in one run, events are summed up. */
    private static final int TOLD_ONE_BY_ONE = 10;

    private final EngineContext engine;
    private final EventSink events;
    private final FactoryRegistry registry;
    private final ResourcePool pool;
    private final Provisioner provisioner;
    private final Supplier<String> coming;
    private final Consumer<List<Resource>> used;
    private final LossEvents notices;

    private Optional<CompletableFuture<ReconcileReport>> running = Optional.empty();
    private Optional<CompletableFuture<ReconcileReport>> next = Optional.empty();
    private boolean nextAccepts;
    private Optional<ReconcileReport> last = Optional.empty();
    private Set<ResourceId> clashes = Set.of();
    private Set<ResourceId> unconfirmed = Set.of();

    /**
     * @param coming the name of the factory that is about to take over, which is not compared; empty text if none is
     * @param used receives what is listed and used by sandboxes without the pool's knowledge
     */
    public PoolReconciler(
            EngineContext engine,
            FactoryRegistry registry,
            ResourcePool pool,
            Provisioner provisioner,
            Supplier<String> coming,
            Consumer<List<Resource>> used) {
        this.engine = engine;
        this.events = engine.events();
        this.registry = registry;
        this.pool = pool;
        this.provisioner = provisioner;
        this.coming = coming;
        this.used = used;
        this.notices = new LossEvents(events);
    }

    public synchronized Optional<ReconcileReport> last() {
        return last;
    }

    /**
     * Compares, now or when the run that is under way has ended.
     *
     * @param acceptLoss whether addresses that pods have are lost however many they are
     * @return never fails: what stood in the way is among the report's problems
     */
    public CompletableFuture<ReconcileReport> run(boolean acceptLoss) {
        CompletableFuture<ReconcileReport> mine;
        synchronized (this) {
            if (running.isPresent()) {
                if (next.isEmpty()) {
                    next = Optional.of(new CompletableFuture<>());
                }
                nextAccepts |= acceptLoss;
                return next.get();
            }
            mine = new CompletableFuture<>();
            running = Optional.of(mine);
        }
        begin(mine, acceptLoss);
        return mine;
    }

    private void begin(CompletableFuture<ReconcileReport> answer, boolean acceptLoss) {
        Run run = new Run(engine.time(), acceptLoss);
        // whatever goes wrong in between, the run ends, and the next one can begin
        Stages.call(() -> each(factories(), run)).handle((done, error) -> {
            if (error != null) {
                run.problems.add("the comparison broke off: " + Stages.cause(error));
            }
            ReconcileReport report = run.report(engine.time());
            Optional<CompletableFuture<ReconcileReport>> waiting;
            boolean accepts;
            synchronized (this) {
                clashes = Set.copyOf(run.clashing);
                unconfirmed = Set.copyOf(run.unconfirmed);
                last = Optional.of(report);
                running = next;
                next = Optional.empty();
                waiting = running;
                accepts = nextAccepts;
                nextAccepts = false;
            }
            waiting.ifPresent(later -> engine.scheduler().execute(() -> begin(later, accepts)));
            answer.complete(report);
            return report;
        });
    }

    private CompletableFuture<Void> each(List<NamedFactory> factories, Run run) {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (NamedFactory factory : factories) {
            all = all.thenCompose(done -> one(factory, run));
        }
        return all;
    }

    /** The active one, and those that leave; one whose resources are the active one's is compared with it. */
    private List<NamedFactory> factories() {
        NamedFactory active = registry.active();
        Stream<NamedFactory> others = registry.others().stream()
                .filter(other -> !other.provider().equals(active.provider()))
                .filter(other -> !other.name().equals(coming.get()));
        return Stream.concat(Stream.of(active), others).toList();
    }

    private CompletableFuture<Void> one(NamedFactory factory, Run run) {
        return look(factory, run, first -> {
            Set<ResourceId> missing = first.comparison().missing(first.list().resources());
            if (missing.isEmpty() || !first.list().flawless()) {
                return settle(factory, run, first, Set.of());
            }
            boolean doubtful =
                    !first.comparison().doubtful(first.list().resources()).isEmpty();
            first.comparison().drop();
            return Stages.pause(doubtful ? DOUBTFUL_LOOK : SECOND_LOOK, engine.scheduler())
                    .thenCompose(over -> look(
                            factory,
                            run,
                            second -> settle(factory, run, second, losable(factory, run, second, missing))));
        });
    }

    /** What is lost if the second list does not show it either. */
    private Set<ResourceId> losable(NamedFactory factory, Run run, Look second, Set<ResourceId> missing) {
        if (!second.list().flawless()) {
            return Set.of();
        }
        Set<ResourceId> doubtful = second.comparison().doubtful(second.list().resources());
        if (run.acceptLoss || doubtful.isEmpty()) {
            return missing;
        }
        int listed = second.list().resources().size();
        run.problems.add(LossEvents.unconfirmed(factory.name(), doubtful.size(), listed));
        run.unconfirmed.addAll(doubtful);
        if (!areTold(doubtful)) {
            notices.doubtful(factory.name(), doubtful.size(), listed);
        }
        Set<ResourceId> certain = new HashSet<>(missing);
        certain.removeAll(doubtful);
        return certain;
    }

    private synchronized boolean areTold(Set<ResourceId> doubtful) {
        return unconfirmed.containsAll(doubtful);
    }

    /** A list, and the comparison that began before it was asked for. */
    private record Look(FactoryListComparison comparison, ValidatedList list) {}

    private CompletableFuture<Void> look(NamedFactory factory, Run run, Function<Look, CompletableFuture<Void>> then) {
        FactoryListComparison comparison = pool.membership().compare(factory.name());
        return Stages.ask(() -> factory.factory().list(), LIST, engine.scheduler())
                .thenApply(listed -> ValidatedList.of(factory, factory.factory().kind(), listed, events))
                .handle((list, error) -> {
                    if (error == null) {
                        return then.apply(new Look(comparison, list));
                    }
                    comparison.drop();
                    failed(factory, run, Stages.cause(error));
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(stage -> stage);
    }

    private void failed(NamedFactory factory, Run run, Throwable cause) {
        if (!factory.name().equals(registry.active().name())
                && !pool.factories().knows(factory.name())) {
            // it was done with, and closed, while it was asked
            return;
        }
        String why = "factory " + factory.name() + " could not be compared with the pool, which stays as it is: "
                + (cause.getMessage() == null ? cause.toString() : cause.getMessage());
        run.problems.add(why);
        events.warning("ReconcileFailed", factory.name(), why);
    }

    private CompletableFuture<Void> settle(NamedFactory factory, Run run, Look look, Set<ResourceId> losable) {
        run.listed += look.list().resources().size();
        if (!look.list().flawless()) {
            run.problems.add("factory " + factory.name() + " lists what makes no sense: nothing counts as lost");
        }
        FactoryListComparison.Findings found =
                look.comparison().settle(look.list().resources(), losable);
        found.lost().forEach(loss -> run.found(Kind.LOST, loss.resource(), loss.pod(), LossEvents.ofLost(loss)));
        notices.lost(found.lost());
        found.regained()
                .forEach(it -> run.found(Kind.REGAINED, it.resource(), it.pod(), "back: the pod has it as before"));
        notices.regained(found.regained());
        found.clashes().forEach(clash -> clashed(factory, run, clash));
        String joined = "in the cloud and in no book: it joined the pool";
        unknown(run, Kind.ADOPTED, "AddressAdopted", joined, found.adopted());
        String unneeded = "in the cloud and in no book, and the pool needs no more: it goes back";
        unknown(run, Kind.RETURNED, "AddressReturned", unneeded, found.unwanted());
        found.unwanted().forEach(provisioner::giveBack);
        if (!found.used().isEmpty()) {
            used.accept(found.used());
        }
        return CompletableFuture.completedFuture(null);
    }

    private void clashed(NamedFactory factory, Run run, FactoryListComparison.Clash clash) {
        Resource resource = clash.resource();
        String rival = clash.rival().id().value();
        String meaning = clash.pod()
                .map(pod -> ", lent to pod " + pod
                        + ": it is kept aside, for no other pod, until that one is gone; delete the pod, so that it"
                        + " comes back with another address")
                .orElse(": it is kept aside until that one is gone");
        String detail = "address " + LossEvents.host(resource) + " is " + resource.id() + " in the cloud, and " + rival
                + " in the pool" + meaning;
        run.found(Kind.CLASH, resource, clash.pod(), detail);
        run.clashing.add(resource.id());
        if (!told(resource.id())) {
            Event.Severity severity = clash.pod().isPresent() ? Event.Severity.ERROR : Event.Severity.WARNING;
            Map<String, String> details = Map.of("factory", factory.name(), "rival", rival);
            events.publish(severity, "ResourceClash", resource.id().value(), detail, details);
        }
    }

    private synchronized boolean told(ResourceId clash) {
        return clashes.contains(clash);
    }

    private void unknown(Run run, Kind kind, String type, String what, List<Resource> resources) {
        resources.forEach(resource -> run.found(kind, resource, Optional.empty(), what));
        resources.stream()
                .limit(TOLD_ONE_BY_ONE)
                .forEach(it -> events.info(type, it.id().value(), "address " + LossEvents.host(it) + " was " + what));
        int more = resources.size() - TOLD_ONE_BY_ONE;
        if (more > 0) {
            events.info(type, "engine", "so it is with " + more + " more addresses");
        }
    }

    /** What one run has found so far; touched by one stage at a time. */
    private static final class Run {
        private final Instant startedAt;
        private final long startedNanos;
        private final List<ReconcileReport.Finding> findings = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();
        private final Set<ResourceId> clashing = new HashSet<>();
        private final Set<ResourceId> unconfirmed = new HashSet<>();
        private final boolean acceptLoss;
        private int listed;

        private Run(TimeSource time, boolean acceptLoss) {
            this.acceptLoss = acceptLoss;
            this.startedAt = time.now();
            this.startedNanos = time.nanoTime();
        }

        private void found(Kind kind, Resource resource, Optional<PodRef> pod, String detail) {
            findings.add(new ReconcileReport.Finding(kind, resource, pod, detail));
        }

        /** It took what the clock that never jumps says. */
        private ReconcileReport report(TimeSource time) {
            Instant ended = startedAt.plusNanos(time.nanoTime() - startedNanos);
            return new ReconcileReport(startedAt, ended, listed, findings, problems);
        }
    }

    /**
     * @param findings what was found, losses first
     * @param problems what stood in the way, one line each; of what they are about, nothing was changed
     */
    public record ReconcileReport(
            Instant startedAt, Instant finishedAt, int listed, List<Finding> findings, List<String> problems) {
        public ReconcileReport {
            findings = List.copyOf(findings);
            problems = List.copyOf(problems);
        }

        public enum Kind {
            /** The cloud has it no more: it is never lent again. */
            LOST,
            /** The cloud has it again, and so has its pod. */
            REGAINED,
            /** It was unknown, and is idle now. */
            ADOPTED,
            /** It was unknown, and goes back. */
            RETURNED,
            /** Its address is another resource's of the pool: it is kept aside until that one is gone. */
            CLASH
        }

        /**
         * @param pod the pod that has it, or that it was kept for, if there is one
         * @param detail what it means, one line for an operator
         */
        public record Finding(Kind kind, Resource resource, Optional<PodRef> pod, String detail) {}

        public int count(Kind kind) {
            return (int) findings.stream().filter(f -> f.kind() == kind).count();
        }
    }
}
