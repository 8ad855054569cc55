package io.enipam.engine.simulation.fuzz;

import static io.enipam.engine.simulation.fuzz.Violation.require;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The container runtime and its pods: they remember which leases the engine acknowledged, and hold the engine to them. */
final class Callers {
    private static final Duration ADD_TIMEOUT = Duration.ofSeconds(10);

    private final VirtualTime time;
    private final MemoryPods pods;
    private final Consumer<String> heard;
    /** Whether a list of the cloud tells of a resource. */
    private final Predicate<Lease> listed;

    private final Map<OwnerKey, Lease> acknowledged = new TreeMap<>();
    private final Map<OwnerKey, String> owners = new HashMap<>();
    /** Sandboxes whose address no list told of when the database was lost. */
    private final Set<OwnerKey> unlisted = new HashSet<>();

    /** Sandboxes that outlived a database. */
    private final Set<OwnerKey> survivors = new HashSet<>();

    private final List<Pending> pending = new ArrayList<>();

    private record Pending(OwnerKey owner, CompletableFuture<AddOutcome> future, long since) {}

    /** @param heard receives what ADDs are answered, a line each */
    Callers(VirtualTime time, MemoryPods pods, Predicate<Lease> listed, Consumer<String> heard) {
        this.time = time;
        this.pods = pods;
        this.listed = listed;
        this.heard = heard;
    }

    private static OwnerKey owner(int container) {
        return new OwnerKey("enipam", "c" + container, "eth0");
    }

    /** @param uid the UID that the caller knows, or empty text */
    void add(NodeIpam engine, int container, String pod, String uid, boolean twice) {
        OwnerKey owner = owner(container);
        owners.put(owner, pod);
        AddCommand command = new AddCommand(owner, PodRef.parse(pod), uid, LinkRequest.simulated(), ADD_TIMEOUT, "");
        pending.add(new Pending(owner, engine.add(command), time.nanoTime()));
        if (twice) {
            engine.add(command);
        }
    }

    void del(NodeIpam engine, int container) {
        OwnerKey owner = owner(container);
        acknowledged.remove(owner);
        owners.remove(owner);
        pending.removeIf(p -> p.owner.equals(owner));
        engine.del(owner);
    }

    /** A pod is gone: its leases may end. */
    void vanished(String pod) {
        acknowledged.keySet().removeIf(owner -> pod.equals(owners.get(owner)));
    }

    /** Nobody gets an answer of the process that died. */
    void crashed() {
        pending.clear();
    }

    /**
     * The database is lost, while the pods run on.
     *
     * @param named whether the kernel names the pods of what it connects
     */
    void databaseLost(boolean named) {
        survivors.addAll(acknowledged.keySet());
        acknowledged.forEach(this::mayBeUnknown);
        // a rebuilt lease may know of a UID that the lost one did not, and end when a pod of the name is made anew
        acknowledged.values().removeIf(lease -> lease.podUid().isEmpty());
        if (!named) {
            // nobody can say whose a former sandbox of a pod is: it ends after a while
            acknowledged.values().removeIf(lease -> !isPodsAddress(lease));
        }
    }

    private boolean isPodsAddress(Lease lease) {
        return lease.resource().addresses().stream()
                .allMatch(address -> pods.addresses(lease.pod()).contains(address.ip()));
    }

    /** Whether no list may have told of the address of a sandbox since the database was lost, so that no lease was rebuilt. */
    private boolean mayBeUnknown(OwnerKey owner, Lease lease) {
        if (survivors.contains(owner) && !listed.test(lease)) {
            unlisted.add(owner);
        }
        return unlisted.contains(owner);
    }

    /** Takes the answers that have come, and forgets leases that may end by now. */
    void settle(NodeIpam engine) {
        for (Pending add : List.copyOf(pending)) {
            if (!add.future.isDone()) {
                long waited = time.nanoTime() - add.since;
                require(
                        waited <= ADD_TIMEOUT.toNanos(),
                        "an ADD is answered within its timeout",
                        add.owner + " has an answer after " + ADD_TIMEOUT.toSeconds() + " s",
                        () -> "none after " + waited / 1_000_000 + " ms");
                continue;
            }
            pending.remove(add);
            add.future.handle(this::told).thenAccept(lease -> lease.ifPresent(got -> acknowledge(add.owner, got)));
        }
        // the UID that a lease was made without may be known by now
        acknowledged.replaceAll((owner, lease) -> engine.lease(owner)
                .filter(now -> now.resource().equals(lease.resource()))
                .orElse(lease));
        // a pod that was made anew under the same name leaves the old one's sandboxes to the collector
        acknowledged.values().removeIf(lease -> engine.status().phase() == EngineStatus.Phase.READY && isGone(lease));
    }

    private Optional<Lease> told(AddOutcome outcome, Throwable error) {
        if (error == null) {
            return Optional.of(outcome.lease());
        }
        Throwable cause = Stages.cause(error);
        heard.accept("an ADD failed: "
                + (cause instanceof IpamException known ? known.code() + " " + known.getMessage() : cause.toString()));
        return Optional.empty();
    }

    private void acknowledge(OwnerKey owner, Lease lease) {
        if (!isGone(lease)) {
            // the kubelet tells the API server what address a pod has
            pods.addressed(
                    lease.pod().toString(),
                    lease.resource().addresses().stream().map(Address::ip).toList());
            acknowledged.put(owner, lease);
        }
    }

    /** Whether the API server says that the pod of a lease is gone. */
    private boolean isGone(Lease lease) {
        return pods.find(lease.pod())
                .toCompletableFuture()
                .handle((found, error) ->
                        error == null && found.filter(pod -> isOf(lease, pod)).isEmpty())
                .join();
    }

    private static boolean isOf(Lease lease, Pod pod) {
        return lease.podUid().isEmpty() || pod.uid().equals(lease.podUid());
    }

    /** Each lease that was acknowledged is on disk, and its address is nobody else's. */
    void check(List<Lease> rows) {
        acknowledged.forEach((owner, lease) -> {
            List<Lease> others = rows.stream()
                    .filter(row -> !row.owner().equals(owner) && row.resource().equals(lease.resource()))
                    .toList();
            require(
                    others.isEmpty(),
                    "nobody else has the address of a lease that was acknowledged",
                    lease.resource().id() + " is of " + owner,
                    () -> others);
            require(
                    mayBeUnknown(owner, lease)
                            || rows.stream()
                                    .anyMatch(row -> row.owner().equals(owner)
                                            && row.resource().equals(lease.resource())),
                    "a lease that was acknowledged is on disk",
                    owner + " has " + lease.resource().id(),
                    () -> "leases of "
                            + rows.stream()
                                    .map(row -> row.owner() + " with "
                                            + row.resource().id())
                                    .toList());
        });
    }

    /** Takes note of what lists leave out. */
    void look() {
        acknowledged.forEach(this::mayBeUnknown);
    }
}
