package io.enipam.diagnostics.sources.compare;

import static io.enipam.diagnostics.sources.Source.API_SERVER;
import static io.enipam.diagnostics.sources.Source.DATABASE;
import static io.enipam.diagnostics.sources.Source.KERNEL;
import static io.enipam.diagnostics.sources.Source.POOL;

import io.enipam.diagnostics.sources.ApiServerSource.KnownPods;
import io.enipam.diagnostics.sources.KernelSource.Sandboxes;
import io.enipam.diagnostics.sources.PoolSource.PoolState;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.ResourceDb;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod.PodDetails;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The database against the pool, the kernel and the API server. Pure. */
final class LeaseRules {
    /**
     * The database has dates and the pool a clock that does not jump; they end one hold at slightly different moments.
     */
    private static final Duration CLOCKS = Duration.ofSeconds(5);

    private LeaseRules() {}

    // ---- pool

    /** See {@link SourceComparison#databaseAndPool}. */
    static List<Difference> pool(Snapshot snapshot) {
        return snapshot.answer(ResourceDb.Contents.class)
                .flatMap(db -> snapshot.answer(PoolState.class).map(state -> pool(db, state.pool(), snapshot.at())))
                .orElse(List.of());
    }

    static List<Difference> pool(ResourceDb.Contents db, PoolView pool, Instant now) {
        Map<ResourceId, PoolView.Entry> entries = new HashMap<>();
        pool.entries().forEach(entry -> entries.put(entry.resource().id(), entry));
        Map<OwnerKey, Lease> leases = byOwner(db);
        Map<ResourceId, Hold> holds = new HashMap<>();
        db.holds().forEach(hold -> holds.put(hold.resource().id(), hold));
        List<Difference> found = new ArrayList<>();
        leases.values()
                .forEach(lease -> notInPool(
                                lease,
                                Optional.ofNullable(entries.get(lease.resource().id())))
                        .ifPresent(found::add));
        pool.entries().forEach(entry -> withoutLease(entry, leases).ifPresent(found::add));
        pool.entries()
                .forEach(entry -> otherHold(
                                entry,
                                Optional.ofNullable(holds.get(entry.resource().id())),
                                now.plus(CLOCKS))
                        .ifPresent(found::add));
        return found;
    }

    private static Map<OwnerKey, Lease> byOwner(ResourceDb.Contents db) {
        Map<OwnerKey, Lease> leases = new HashMap<>();
        db.leases().forEach(lease -> leases.put(lease.owner(), lease));
        return leases;
    }

    private static Optional<Difference> notInPool(Lease lease, Optional<PoolView.Entry> entry) {
        if (entry.flatMap(PoolView.Entry::owner).equals(Optional.of(lease.owner()))) {
            return Optional.empty();
        }
        String pool = entry.map(e -> e.state()
                        + e.owner()
                                .map(owner -> " by container " + owner.containerId())
                                .orElse(""))
                .orElse("not in it");
        return Optional.of(Difference.of(
                Kind.LEASE_NOT_IN_POOL,
                lease,
                "the lease of pod " + lease.pod() + " on disk is not the pool's",
                Difference.says(DATABASE, leased(lease), POOL, pool)));
    }

    private static Optional<Difference> withoutLease(PoolView.Entry entry, Map<OwnerKey, Lease> leases) {
        Optional<Lease> lease = entry.owner().map(leases::get);
        if (entry.owner().isEmpty()
                || lease.filter(l -> l.resource().id().equals(entry.resource().id()))
                        .isPresent()) {
            return Optional.empty();
        }
        return Optional.of(Difference.of(
                Kind.LENT_WITHOUT_LEASE,
                entry,
                "address " + AddressFormat.of(entry.resource()) + " is lent, and no lease on disk says so",
                Difference.says(
                        POOL,
                        entry.state() + " by container " + entry.owner().get().containerId(),
                        DATABASE,
                        lease.map(l -> "its lease is of " + l.resource().id()).orElse("no lease"))));
    }

    private static Optional<Difference> otherHold(PoolView.Entry entry, Optional<Hold> hold, Instant later) {
        boolean kept = entry.state() == ResourceState.COOLING || entry.state() == ResourceState.RESERVED;
        if (kept && hold.isEmpty()) {
            return Optional.of(hold(entry, "it would be lent at once after a restart", "no hold"));
        }
        return hold.map(Hold::until)
                .filter(until -> entry.state() == ResourceState.IDLE && until.isAfter(later))
                .map(until -> hold(entry, "the pool lends it too early", "held until " + until));
    }

    private static Difference hold(PoolView.Entry entry, String what, String database) {
        return Difference.of(
                Kind.HOLD_DIFFERS,
                entry,
                "the hold of address " + AddressFormat.of(entry.resource()) + " is not the same on disk: " + what,
                Difference.says(POOL, entry.state().name(), DATABASE, database));
    }

    // ---- kernel

    /** Every lease's sandbox is connected with its address, and every connected sandbox has a lease. */
    static List<Difference> kernel(Snapshot snapshot) {
        Optional<ResourceDb.Contents> db = snapshot.answer(ResourceDb.Contents.class);
        Optional<Sandboxes> kernel = snapshot.answer(Sandboxes.class);
        if (db.isEmpty() || kernel.isEmpty()) {
            return List.of();
        }
        // the kernel may report one sandbox twice: one connection for each family
        Map<OwnerKey, Set<String>> connected = new HashMap<>();
        kernel.get()
                .attached()
                .forEach(sandbox -> connected
                        .computeIfAbsent(sandbox.owner(), owner -> new HashSet<>())
                        .addAll(hosts(sandbox.addresses())));
        Map<OwnerKey, Lease> leases = byOwner(db.get());
        List<Difference> found = new ArrayList<>();
        leases.values().stream()
                // the name of a placeholder has no sandbox
                .filter(lease -> !PlaceholderPod.is(lease.owner()))
                .forEach(lease -> notConnected(lease, Optional.ofNullable(connected.get(lease.owner())))
                        .ifPresent(found::add));
        kernel.get().attached().stream()
                .filter(sandbox -> !leases.containsKey(sandbox.owner()))
                .map(LeaseRules::connectedOnly)
                .forEach(found::add);
        return found;
    }

    private static Difference connectedOnly(Attachment sandbox) {
        Set<String> hosts = hosts(sandbox.addresses());
        return new Difference(
                Kind.CONNECTED_WITHOUT_LEASE,
                sandbox.owner().toString(),
                hosts,
                "",
                Optional.of(sandbox.owner()),
                sandbox.pod(),
                "container " + sandbox.owner().containerId() + " is connected and has no lease",
                Difference.says(KERNEL, "connected with " + String.join(", ", hosts), DATABASE, "no lease"));
    }

    private static Optional<Difference> notConnected(Lease lease, Optional<Set<String>> connected) {
        if (connected
                .filter(hosts -> hosts.containsAll(Statement.hosts(lease.resource())))
                .isPresent()) {
            return Optional.empty();
        }
        return Optional.of(Difference.of(
                Kind.LEASE_NOT_CONNECTED,
                lease,
                "pod " + lease.pod() + " has a lease of " + AddressFormat.of(lease.resource())
                        + " and is not connected with it",
                Difference.says(
                        DATABASE,
                        leased(lease),
                        KERNEL,
                        connected
                                .map(hosts -> hosts.isEmpty()
                                        ? "half connected"
                                        : "connected with " + String.join(", ", hosts))
                                .orElse("not connected"))));
    }

    // ---- API server

    /**
     * Every lease's pod exists, is the same one, runs, and has the addresses that the API server reports; and every pod
     * that has an address has it from here. An API server that does not answer proves nothing.
     */
    static List<Difference> pods(Snapshot snapshot) {
        Optional<ResourceDb.Contents> db = snapshot.answer(ResourceDb.Contents.class);
        Optional<KnownPods> pods = snapshot.answer(KnownPods.class);
        if (db.isEmpty() || pods.isEmpty() || pods.get().silentSince().isPresent()) {
            return List.of();
        }
        Map<PodRef, Pod> known = new HashMap<>();
        pods.get().pods().forEach(pod -> known.put(pod.ref(), pod));
        Map<PodRef, Set<String>> leased = new HashMap<>();
        db.get()
                .leases()
                .forEach(lease -> leased.computeIfAbsent(lease.pod(), pod -> new HashSet<>())
                        .addAll(Statement.hosts(lease.resource())));
        List<Difference> found = new ArrayList<>();
        db.get().leases().stream()
                .filter(lease -> !PlaceholderPod.is(lease.pod())) // its pod is unknown by its nature
                .forEach(lease -> otherPod(lease, Optional.ofNullable(known.get(lease.pod())), leased)
                        .ifPresent(found::add));
        pods.get().pods().stream()
                .filter(pod -> !leased.containsKey(pod.ref()) && needsLease(pod, pods.get()))
                .map(LeaseRules::podWithoutLease)
                .forEach(found::add);
        return found;
    }

    private static Optional<Difference> otherPod(Lease lease, Optional<Pod> pod, Map<PodRef, Set<String>> leased) {
        Optional<String> gone = gone(lease, pod);
        if (gone.isPresent()) {
            return Optional.of(Difference.of(
                    Kind.POD_GONE,
                    lease,
                    "address " + AddressFormat.of(lease.resource()) + " is lent to pod " + lease.pod()
                            + ", which is gone",
                    Difference.says(DATABASE, leased(lease), API_SERVER, gone.get())));
        }
        return pod.map(p -> hosts(p.addresses()))
                .filter(told -> !told.isEmpty()
                        && told.stream().noneMatch(leased.getOrDefault(lease.pod(), Set.of())::contains))
                .map(told -> Difference.of(
                        Kind.POD_TELLS_ANOTHER,
                        lease,
                        "pod " + lease.pod() + " has another address than its lease",
                        Difference.says(
                                DATABASE,
                                leased(lease),
                                API_SERVER,
                                "the pod's address is " + String.join(", ", told))));
    }

    private static Optional<String> gone(Lease lease, Optional<Pod> pod) {
        if (pod.isEmpty()) {
            return Optional.of("no such pod");
        }
        if (pod.get().finished()) {
            return Optional.of("the pod has finished");
        }
        String uid = pod.get().uid();
        return lease.podUid().isEmpty() || uid.isEmpty() || uid.equals(lease.podUid())
                ? Optional.empty()
                : Optional.of("another pod has the name now, uid " + uid);
    }

    /** Whether a pod should have its address from here: while it is deleted its sandbox may be gone already. */
    private static boolean needsLease(Pod pod, KnownPods pods) {
        return !pod.finished()
                && !pod.addresses().isEmpty()
                && pods.details(pod.ref()).flatMap(PodDetails::deleting).isEmpty();
    }

    private static Difference podWithoutLease(Pod pod) {
        Set<String> told = hosts(pod.addresses());
        return new Difference(
                Kind.POD_WITHOUT_LEASE,
                pod.ref().toString(),
                told,
                "",
                Optional.empty(),
                Optional.of(pod.ref()),
                "pod " + pod.ref() + " has an address that it did not get here",
                Difference.says(DATABASE, "no lease", API_SERVER, "the pod's address is " + String.join(", ", told)));
    }

    private static Set<String> hosts(Collection<InetAddress> addresses) {
        return addresses.stream().map(AddressFormat::text).collect(Collectors.toSet());
    }

    private static String leased(Lease lease) {
        return "leased to pod " + lease.pod() + ", container " + lease.owner().containerId();
    }
}
