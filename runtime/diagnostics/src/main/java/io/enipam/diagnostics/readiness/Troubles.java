package io.enipam.diagnostics.readiness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.diagnostics.readiness.Trouble.Cause;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.observability.history.Meters.FailedAdds;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is wrong with this daemon now, grouped by cause: the one list that CNI STATUS, {@code status}, {@code cni status},
 * {@code doctor}, {@code top}, the prompt, {@code explain}, the listings of ENIs and pods, the probes and the node's
 * condition use. Reads memory alone, at once, and changes nothing. Thread-safe.
 */
public final class Troubles {
    /** As long as a start takes that needs nobody. */
    private static final Duration START = Duration.ofSeconds(30);
    /** A pod may be out of the list for so long before the DEL of its sandbox comes, or after its ADD. */
    private static final Duration DEL_ON_ITS_WAY = Duration.ofSeconds(30);
    /** As long as the first list of the cluster's pods may take. */
    private static final Duration FIRST_LIST = Duration.ofSeconds(10);
    /** A caller that comes while creates have been unanswered for so long waits in vain. */
    private static final Duration UNANSWERED = Duration.ofSeconds(30);

    private static final int PODS_NAMED = 3;

    private final IpamEngine engine;
    private final ResourceDb db;
    private final NodeDatapath kernel;
    private final Supplier<Optional<String>> away;
    private final Supplier<Optional<FailedAdds.Series>> failing;
    private final boolean simulates;
    private final Supplier<List<String>> config;
    private final Optional<Node> node;

    /** When a cause was first seen whose own time nobody knows. */
    @GuardedBy("this")
    private Map<String, Instant> seen = new HashMap<>();

    /**
     * @param enis those of this node
     * @param cluster the link to the API server, if one is asked
     * @param pods all there are; empty while some may be unknown
     */
    public record Node(
            Supplier<List<EniDirectory.Eni>> enis,
            Optional<ClusterInspector> cluster,
            Supplier<Optional<Set<PodRef>>> pods) {
        /** Without ENIs and without a cluster. */
        public static final Node ALONE = new Node(List::of, Optional.empty(), Optional::empty);
    }

    /**
     * @param away why the cloud or the factory cannot be used now; empty if it can
     * @param failing that all ADDs have failed of late; empty if they have not
     * @param simulates whether pods are simulated where the kernel is not to be changed: a sandbox does so, a node never
     * @param config what of the configuration is not in force, one line each
     * @param node empty for a daemon without a pool
     */
    public Troubles(
            IpamEngine engine,
            ResourceDb db,
            NodeDatapath kernel,
            Supplier<Optional<String>> away,
            Supplier<Optional<FailedAdds.Series>> failing,
            boolean simulates,
            Supplier<List<String>> config,
            Optional<Node> node) {
        this.engine = engine;
        this.db = db;
        this.kernel = kernel;
        this.away = away;
        this.failing = failing;
        this.simulates = simulates;
        this.config = config;
        this.node = node;
    }

    /**
     * The troubles of one moment.
     *
     * @param troubles the critical ones first, and of equal ones in the order of {@link Cause}
     * @param lost whether sandboxes that are there may be without their network
     */
    public record Found(List<Trouble> troubles, boolean lost) {
        public Found {
            troubles = List.copyOf(troubles);
        }

        /** Those because of which no ADD can be served; none if one can. */
        public List<Trouble> stoppingAdds() {
            return troubles.stream().filter(one -> one.cause().stopsAdds()).toList();
        }

        /** The code of a CNI STATUS result (1.1.0): 0; 50 if no ADD is served; 51 if addresses were lost as well. */
        public int code() {
            return stoppingAdds().isEmpty() ? 0 : lost ? 51 : 50;
        }

        /** The first of a cause. */
        public Optional<Trouble> of(Cause cause) {
            return troubles.stream().filter(one -> one.cause() == cause).findFirst();
        }

        /** What makes this node unready, be its addresses all lent or not; empty if nothing does. */
        public Optional<Trouble> broken() {
            return troubles.stream().filter(one -> one.cause().breaksNode()).findFirst();
        }

        /** Those that a check of the doctor finds. */
        public List<Trouble> ofCheck(String id) {
            return troubles.stream()
                    .filter(one -> one.cause().check().equals(id))
                    .toList();
        }
    }

    /** The list for all callers but a container runtime. */
    public Found find() {
        return find(kernel.unusable(), true);
    }

    /** Looks in the place of a runtime that calls by the CNI, and whose pods this daemon has to connect. */
    public Found findForRuntime() {
        return find(obstacle(), false);
    }

    /** Why no pod of a container runtime can be connected, whatever the pool has; empty if one can. */
    public Optional<String> obstacle() {
        return simulates ? Optional.empty() : kernel.obstacle();
    }

    /** A trouble whose time may be unknown. */
    private record Draft(
            Cause cause,
            boolean critical,
            String text,
            Optional<Instant> since,
            List<String> pods,
            List<String> enis,
            String advice) {
        Draft(Cause cause, boolean critical, String text, Optional<Instant> since, String advice) {
            this(cause, critical, text, since, List.of(), List.of(), advice);
        }

        /** What tells it from others of its cause: texts may change while it lasts. */
        String key() {
            return cause + (cause == Cause.CONFIG ? text : enis.toString());
        }
    }

    /** @param remembers whether this look says what is over */
    private Found find(Optional<String> obstacle, boolean remembers) {
        EngineStatus status = engine.status();
        PoolSummary pool = engine.poolSummary();
        PendingWork work = engine.pendingWork();
        boolean serves = status.phase() == Phase.READY;
        List<Draft> drafts = new ArrayList<>();
        node.ifPresent(here -> addLost(here, pool, drafts));
        if (!serves) {
            drafts.add(starting(status, work.at()));
        }
        db.trouble()
                .ifPresent(found -> drafts.add(new Draft(
                        Cause.DATABASE,
                        true,
                        "the database cannot be written: " + found.cause(),
                        Optional.of(found.since()),
                        "df -h; df -i; doctor " + Cause.DATABASE.check())));
        obstacle.ifPresent(why -> drafts.add(new Draft(
                Cause.KERNEL,
                true,
                why,
                kernel.real().isEmpty() ? Optional.of(status.startedAt()) : Optional.empty(),
                "doctor " + Cause.KERNEL.check())));
        if (!full(pool)) {
            failing.get()
                    .ifPresent(series -> drafts.add(new Draft(
                            series.lasting() ? Cause.ADDS : Cause.ADDS_FAILING,
                            true,
                            series.text(),
                            Optional.of(series.since()),
                            "trace --failed; events")));
        }
        if (serves) {
            status.trouble()
                    .ifPresent(why -> drafts.add(
                            new Draft(Cause.POLICY, false, why, Optional.empty(), "doctor " + Cause.POLICY.check())));
            node.flatMap(here -> supply(work, pool)).ifPresent(drafts::add);
            node.flatMap(here -> here.pods().get())
                    .flatMap(pods -> leaked(pods, work.at()))
                    .ifPresent(drafts::add);
        }
        node.flatMap(Node::cluster)
                .map(ClusterInspector::watch)
                .filter(watch ->
                        !watch.heard() && !work.at().isBefore(watch.since().plus(FIRST_LIST)))
                .ifPresent(watch -> drafts.add(apiServer(watch)));
        config.get().forEach(line -> drafts.add(new Draft(Cause.CONFIG, false, line, Optional.empty(), "config show")));
        if (drafts.stream().anyMatch(draft -> draft.cause().stopsAdds())) {
            drafts.removeIf(draft -> draft.cause() == Cause.ADDS_FAILING); // the cause says more than what comes of it
        }
        drafts.sort(Comparator.comparing(Draft::critical).reversed().thenComparing(Draft::cause));
        return new Found(dated(drafts, work.at(), remembers), pool.count(ResourceState.INVALID) > 0);
    }

    private synchronized List<Trouble> dated(List<Draft> drafts, Instant now, boolean remembers) {
        Map<String, Instant> still = new HashMap<>();
        drafts.forEach(draft -> still.put(draft.key(), seen.getOrDefault(draft.key(), now)));
        seen = remembers ? still : seen;
        return drafts.stream()
                .filter(draft -> draft.cause() != Cause.LEASE_LEAKED
                        || !now.isBefore(still.get(draft.key()).plus(DEL_ON_ITS_WAY)))
                .map(draft -> new Trouble(
                        draft.cause(),
                        draft.critical(),
                        draft.text(),
                        draft.since().orElse(still.get(draft.key())),
                        draft.pods(),
                        draft.enis(),
                        draft.advice()))
                .toList();
    }

    /** A start that goes its way is no outage, though no ADD is served before its end. */
    private Draft starting(EngineStatus status, Instant now) {
        Optional<String> why = status.trouble().or(away);
        boolean onItsWay = why.isEmpty()
                && (status.phase() == Phase.NEW || status.phase() == Phase.RECOVERING)
                && now.isBefore(status.phaseSince().plus(START));
        String text = "the daemon is " + status.phase()
                + why.or(() -> Optional.of(status.detail()).filter(detail -> !detail.isEmpty()))
                        .map(reason -> ": " + reason)
                        .orElse("");
        return new Draft(Cause.ENGINE, !onItsWay, text, Optional.of(status.phaseSince()), "log; doctor not-serving");
    }

    /** What the pool lacks: all that an ADD needs, or the stock that is wanted. */
    private Optional<Draft> supply(PendingWork work, PoolSummary pool) {
        List<String> waiting = work.queue().stream()
                .map(waiter -> waiter.pod().toString())
                .distinct()
                .sorted()
                .toList();
        int idle = pool.count(ResourceState.IDLE);
        if (full(pool)) {
            String text = "the pool has no address left: all " + pool.capacity() + " that this node can have are taken";
            return Optional.of(new Draft(
                    Cause.POOL_FULL,
                    pool.waiting() > 0,
                    text + waitingFor(waiting),
                    work.queue().stream().map(PoolView.WaiterView::since).min(Comparator.naturalOrder()),
                    waiting,
                    List.of(),
                    "pod list; gc run"));
        }
        if (idle > 0 && idle >= pool.minIdle()) {
            return Optional.empty();
        }
        // a failure that is not retried says nothing: the next caller may be served
        Optional<RetryState> failure = work.createTrouble()
                .filter(last ->
                        work.at().isBefore(last.next()) || !work.creates().isEmpty());
        Optional<Instant> unanswered = work.creates().stream()
                .map(PendingCreate::since)
                .min(Comparator.naturalOrder())
                .filter(since -> idle == 0 && !since.plus(UNANSWERED).isAfter(work.at()));
        String lack = idle == 0 ? "no address is idle" : idle + " idle, and " + pool.minIdle() + " are wanted";
        return (idle == 0 ? away.get() : Optional.<String>empty())
                .or(() -> failure.map(RetryState::message))
                .map(why -> lack + ", and none can be made: " + why)
                .or(() -> unanswered.map(since -> lack + ", and the cloud leaves creates unanswered"))
                .map(text -> new Draft(
                        idle == 0 ? Cause.SUPPLY : Cause.STOCK,
                        idle == 0,
                        text + waitingFor(waiting),
                        failure.map(RetryState::since).or(() -> unanswered),
                        waiting,
                        List.of(),
                        "ecs calls --failed; doctor vswitch-low api-throttled cloud-refuses; pool retry"));
    }

    private static String waitingFor(List<String> pods) {
        return pods.isEmpty() ? "" : "; waiting: " + named(pods);
    }

    private static boolean full(PoolSummary pool) {
        return pool.count(ResourceState.IDLE) == 0
                && pool.capacity() - pool.held() - pool.count(ResourceState.CREATING) <= 0;
    }

    private Optional<Draft> leaked(Set<PodRef> pods, Instant now) {
        List<String> gone = engine.leases().stream()
                .filter(lease -> !pods.contains(lease.pod())
                        && !PlaceholderPod.is(lease.pod())
                        && !now.isBefore(lease.since().plus(DEL_ON_ITS_WAY)))
                .map(lease -> lease.pod().toString())
                .distinct()
                .sorted()
                .toList();
        return gone.isEmpty()
                ? Optional.empty()
                : Optional.of(new Draft(
                        Cause.LEASE_LEAKED,
                        false,
                        (gone.size() == 1
                                        ? "1 pod is gone and has its lease still"
                                        : gone.size() + " pods are gone and have their leases still")
                                + ", since no DEL came (" + named(gone) + ")",
                        Optional.empty(),
                        gone,
                        List.of(),
                        "gc run; gc status"));
    }

    private static Draft apiServer(WatchState watch) {
        return new Draft(
                Cause.API_SERVER,
                false,
                "the API server is not heard: " + watch.trouble(),
                Optional.of(watch.since()),
                "cluster; doctor " + Cause.API_SERVER.check());
    }

    /** ENIs that are off this node, and addresses that the cloud took from pods: one trouble for all on an ENI. */
    private void addLost(Node here, PoolSummary pool, List<Draft> drafts) {
        Map<String, EniDirectory.Eni> enis = here.enis().get().stream()
                .collect(Collectors.toMap(EniDirectory.Eni::id, eni -> eni, (one, same) -> one));
        boolean lost = enis.values().stream().anyMatch(EniDirectory.Eni::isLost);
        if (!lost && pool.count(ResourceState.INVALID) == 0) {
            return;
        }
        // what hangs on an ENI that is off the node is lost, though the pool may not believe so many losses at once
        engine.pool().entries().stream()
                .filter(entry -> entry.pod().isPresent() && entry.owner().isPresent())
                .filter(entry -> entry.state() == ResourceState.INVALID
                        || Optional.ofNullable(enis.get(Statement.eniOf(entry.resource())))
                                .filter(EniDirectory.Eni::isLost)
                                .isPresent())
                .collect(Collectors.groupingBy(
                        entry -> Statement.eniOf(entry.resource()), TreeMap::new, Collectors.toList()))
                .forEach((eni, entries) -> drafts.add(lost(eni, Optional.ofNullable(enis.get(eni)), entries)));
    }

    private static Draft lost(String id, Optional<EniDirectory.Eni> eni, List<PoolView.Entry> entries) {
        List<String> pods = entries.stream()
                .flatMap(entry -> entry.pod().stream())
                .map(Object::toString)
                .distinct()
                .sorted()
                .toList();
        Optional<EniDirectory.Eni> detached = eni.filter(EniDirectory.Eni::isLost);
        String what = detached.map(off -> "ENI " + id + " was detached by another")
                .orElseGet(() -> eni.isEmpty()
                        ? "ENI " + id + " is gone from this node"
                        : "the cloud took "
                                + (entries.size() == 1
                                        ? AddressFormat.of(entries.get(0).resource())
                                        : entries.size() + " addresses")
                                + " off ENI " + id);
        return new Draft(
                eni.isEmpty() || detached.isPresent() ? Cause.ENI_LOST : Cause.ADDRESS_LOST,
                true,
                what + ": " + (pods.size() == 1 ? "1 pod" : pods.size() + " pods") + " without network (" + named(pods)
                        + ")",
                detached.map(EniDirectory.Eni::since)
                        .or(() -> Stream.of(entries)
                                .flatMap(List::stream)
                                .map(PoolView.Entry::since)
                                .min(Comparator.naturalOrder())),
                pods,
                List.of(id),
                "explain " + id + "; pool sync; ecs calls --failed");
    }

    /** {@code default/a, default/b, default/c and 6 more}. */
    private static String named(List<String> pods) {
        return String.join(", ", pods.subList(0, Math.min(PODS_NAMED, pods.size())))
                + (pods.size() > PODS_NAMED ? " and " + (pods.size() - PODS_NAMED) + " more" : "");
    }
}
