package io.enipam.diagnostics.sources.compare;

import static io.enipam.diagnostics.sources.Source.API_SERVER;
import static io.enipam.diagnostics.sources.Source.DATABASE;
import static io.enipam.diagnostics.sources.Source.KERNEL;
import static io.enipam.diagnostics.sources.Source.POOL;
import static io.enipam.diagnostics.sources.compare.Difference.says;

import io.enipam.diagnostics.sources.NodeSources.PoolState;
import io.enipam.diagnostics.sources.NodeSources.Sandboxes;
import io.enipam.diagnostics.sources.PodSource.KnownPods;
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
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
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
import java.util.function.Function;

/** The database against the pool, the kernel and the API server. Pure. */
final class LeaseRules {
    /**
     * The database has dates and the pool a clock that does not jump; they end one hold at slightly different moments.
     */
    private static final Duration CLOCKS = Duration.ofSeconds(5);

    private LeaseRules() {}

    private static <K, V> Map<K, V> byKey(Collection<V> all, Function<V, K> key) {
        Map<K, V> map = new HashMap<>();
        all.forEach(one -> map.put(key.apply(one), one));
        return map;
    }

    // ---- pool

    /** See {@link SourceComparison#databaseAndPool}. */
    static List<Difference> pool(Snapshot snapshot) {
        return snapshot.answer(ResourceDb.Contents.class)
                .flatMap(db -> snapshot.answer(PoolState.class).map(state -> pool(db, state.pool(), snapshot.at())))
                .orElse(List.of());
    }

    static List<Difference> pool(ResourceDb.Contents db, PoolView pool, Instant now) {
        Map<List<?>, PoolView.Entry> entries = byKey(pool.entries(), entry -> identity(entry.resource()));
        Map<OwnerKey, Lease> leases = byKey(db.leases(), Lease::owner);
        Map<List<?>, Hold> holds = byKey(db.holds(), hold -> identity(hold.resource()));
        List<Difference> found = new ArrayList<>();
        for (Lease lease : leases.values()) {
            Optional<PoolView.Entry> entry = Optional.ofNullable(entries.get(identity(lease.resource())));
            if (!entry.flatMap(PoolView.Entry::owner).equals(Optional.of(lease.owner()))) {
                String what = "the lease of pod " + lease.pod() + " on disk is not the pool's";
                String state = entry.map(LeaseRules::lent).orElse("not in it");
                found.add(
                        Difference.of(Kind.LEASE_NOT_IN_POOL, lease, what, says(DATABASE, leased(lease), POOL, state)));
            }
        }
        for (PoolView.Entry entry : pool.entries()) {
            Optional<Resource> leased = entry.owner().map(leases::get).map(Lease::resource);
            if (entry.owner().isPresent()
                    && !leased.map(LeaseRules::identity).equals(Optional.of(identity(entry.resource())))) {
                String what =
                        "address " + AddressFormat.of(entry.resource()) + " is lent, and no lease on disk says so";
                String lease = leased.map(resource -> "its lease is of " + resource.id())
                        .orElse("no lease");
                found.add(
                        Difference.of(Kind.LENT_WITHOUT_LEASE, entry, what, says(POOL, lent(entry), DATABASE, lease)));
            }
        }
        for (PoolView.Entry entry : pool.entries()) {
            Optional<Instant> until =
                    Optional.ofNullable(holds.get(identity(entry.resource()))).map(Hold::until);
            boolean kept = entry.state() == ResourceState.COOLING || entry.state() == ResourceState.RESERVED;
            if (kept && until.isEmpty()) {
                found.add(hold(entry, "it would be lent at once after a restart", "no hold"));
            }
            until.filter(end -> entry.state() == ResourceState.IDLE && end.isAfter(now.plus(CLOCKS)))
                    .ifPresent(end -> found.add(hold(entry, "the pool lends it too early", "held until " + end)));
        }
        return found;
    }

    /** By the addresses, too: two factories may give the same id, and what one made may have become another's since. */
    private static List<?> identity(Resource resource) {
        return List.of(resource.id(), resource.addresses());
    }

    private static String lent(PoolView.Entry entry) {
        return entry.state()
                + entry.owner()
                        .map(owner -> " by container " + owner.containerId())
                        .orElse("");
    }

    private static Difference hold(PoolView.Entry entry, String how, String database) {
        String what = "the hold of address " + AddressFormat.of(entry.resource()) + " is not the same on disk: " + how;
        return Difference.of(
                Kind.HOLD_DIFFERS, entry, what, says(POOL, entry.state().name(), DATABASE, database));
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
        for (Attachment sandbox : kernel.get().attached()) {
            connected
                    .computeIfAbsent(sandbox.owner(), owner -> new HashSet<>())
                    .addAll(Statement.texts(sandbox.addresses()));
        }
        Map<OwnerKey, Lease> leases = byKey(db.get().leases(), Lease::owner);
        List<Difference> found = new ArrayList<>();
        for (Lease lease : leases.values()) {
            Optional<Set<String>> hosts = Optional.ofNullable(connected.get(lease.owner()));
            boolean fits = hosts.filter(all -> all.containsAll(Statement.hosts(lease.resource())))
                    .isPresent();
            // the name of a placeholder has no sandbox
            if (!fits && !PlaceholderPod.is(lease.owner())) {
                String what = "pod " + lease.pod() + " has a lease of " + AddressFormat.of(lease.resource())
                        + " and is not connected with it";
                String state = hosts.map(all -> all.isEmpty() ? "half connected" : connectedWith(all))
                        .orElse("not connected");
                found.add(Difference.of(
                        Kind.LEASE_NOT_CONNECTED, lease, what, says(DATABASE, leased(lease), KERNEL, state)));
            }
        }
        kernel.get().attached().stream()
                .filter(sandbox -> !leases.containsKey(sandbox.owner()))
                .map(LeaseRules::connectedOnly)
                .forEach(found::add);
        return found;
    }

    private static String connectedWith(Set<String> hosts) {
        return "connected with " + String.join(", ", hosts);
    }

    private static Difference connectedOnly(Attachment sandbox) {
        Set<String> hosts = Statement.texts(sandbox.addresses());
        return new Difference(
                Kind.CONNECTED_WITHOUT_LEASE,
                sandbox.owner().toString(),
                hosts,
                "",
                Optional.of(sandbox.owner()),
                sandbox.pod(),
                "container " + sandbox.owner().containerId() + " is connected and has no lease",
                says(KERNEL, connectedWith(hosts), DATABASE, "no lease"));
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
        Map<PodRef, Pod> known = byKey(pods.get().pods(), Pod::ref);
        Map<PodRef, Set<String>> leased = new HashMap<>();
        for (Lease lease : db.get().leases()) {
            leased.computeIfAbsent(lease.pod(), pod -> new HashSet<>()).addAll(Statement.hosts(lease.resource()));
        }
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
            String address = AddressFormat.of(lease.resource());
            String what = "address " + address + " is lent to pod " + lease.pod() + ", which is gone";
            return Optional.of(
                    Difference.of(Kind.POD_GONE, lease, what, says(DATABASE, leased(lease), API_SERVER, gone.get())));
        }
        Set<String> told = pod.map(one -> Statement.texts(one.addresses())).orElse(Set.of());
        if (told.isEmpty() || told.stream().anyMatch(leased.getOrDefault(lease.pod(), Set.of())::contains)) {
            return Optional.empty();
        }
        String what = "pod " + lease.pod() + " has another address than its lease";
        return Optional.of(Difference.of(
                Kind.POD_TELLS_ANOTHER, lease, what, says(DATABASE, leased(lease), API_SERVER, address(told))));
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
        Set<String> told = Statement.texts(pod.addresses());
        return new Difference(
                Kind.POD_WITHOUT_LEASE,
                pod.ref().toString(),
                told,
                "",
                Optional.empty(),
                Optional.of(pod.ref()),
                "pod " + pod.ref() + " has an address that it did not get here",
                says(DATABASE, "no lease", API_SERVER, address(told)));
    }

    private static String address(Set<String> told) {
        return "the pod's address is " + String.join(", ", told);
    }

    private static String leased(Lease lease) {
        return "leased to pod " + lease.pod() + ", container " + lease.owner().containerId();
    }
}
