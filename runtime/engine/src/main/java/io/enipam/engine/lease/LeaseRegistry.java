package io.enipam.engine.lease;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The durable leases in memory, and the pods of the owners whose ADD is under way, so that a DEL that overtakes its ADD
 * finds the pod's queue. A lease stands here from the moment its row is on disk until the row's removal is. Thread-safe.
 */
public final class LeaseRegistry {
    private final Map<OwnerKey, Lease> leases = new ConcurrentHashMap<>();
    /** The same leases, each list ordered by owner; changed within the step that changes {@link #leases}. */
    private final Map<PodRef, List<Lease>> byPod = new ConcurrentHashMap<>();

    private final Map<OwnerKey, List<PodRef>> underWay = new ConcurrentHashMap<>();
    private final Map<OwnerKey, String> presumed = new ConcurrentHashMap<>();
    private final Set<OwnerKey> doubtful = ConcurrentHashMap.newKeySet();

    public void put(Lease lease) {
        leases.compute(lease.owner(), (owner, before) -> {
            byPod.compute(
                    lease.pod(),
                    (pod, others) -> others == null
                            ? List.of(lease)
                            : Stream.concat(without(owner, others), Stream.of(lease))
                                    .sorted(Comparator.comparing(Lease::owner))
                                    .toList());
            if (before != null && !before.pod().equals(lease.pod())) {
                removeFromPod(before);
            }
            return lease;
        });
        if (!lease.podUid().isEmpty()) {
            presumed.remove(lease.owner());
        }
    }

    public void remove(OwnerKey owner) {
        leases.computeIfPresent(owner, (key, before) -> {
            removeFromPod(before);
            return null;
        });
        doubtful.remove(owner);
        presumed.remove(owner);
    }

    /** A lease is made without a UID while the node knows a pod of its name with this one. */
    void assumeUid(OwnerKey owner, String podUid) {
        presumed.put(owner, podUid);
    }

    /** Whether the node knew the pod with this UID by the lease's name when the lease was made. Forgotten by a restart. */
    boolean isAssumedUid(OwnerKey owner, String podUid) {
        return podUid.equals(presumed.get(owner));
    }

    /** The removal of the lease's row was not confirmed: the row may be gone, now or in a moment, though the lease stands. */
    void markRemovalUnconfirmed(OwnerKey owner) {
        doubtful.add(owner);
    }

    boolean isRemovalUnconfirmed(OwnerKey owner) {
        return doubtful.contains(owner);
    }

    /** The row was written anew. */
    void confirm(OwnerKey owner) {
        doubtful.remove(owner);
    }

    public Optional<Lease> find(OwnerKey owner) {
        return Optional.ofNullable(leases.get(owner));
    }

    /** All leases, ordered by pod, then owner. */
    public List<Lease> all() {
        return leases.values().stream()
                .sorted(Comparator.comparing(Lease::pod).thenComparing(Lease::owner))
                .toList();
    }

    /** The leases of one pod, ordered by owner. */
    public List<Lease> of(PodRef pod) {
        return byPod.getOrDefault(pod, List.of());
    }

    private void removeFromPod(Lease lease) {
        byPod.computeIfPresent(lease.pod(), (pod, all) -> {
            List<Lease> left = without(lease.owner(), all).toList();
            return left.isEmpty() ? null : left;
        });
    }

    private static Stream<Lease> without(OwnerKey owner, List<Lease> leases) {
        return leases.stream().filter(lease -> !lease.owner().equals(owner));
    }

    /** One ADD of the owner's is under way; there may be several. */
    void addStarted(OwnerKey owner, PodRef pod) {
        underWay.merge(
                owner,
                List.of(pod),
                (before, one) -> Stream.concat(before.stream(), one.stream()).toList());
    }

    /** One of them has ended. */
    void addEnded(OwnerKey owner, PodRef pod) {
        underWay.computeIfPresent(owner, (key, pods) -> {
            List<PodRef> left = new ArrayList<>(pods);
            left.remove(pod);
            return left.isEmpty() ? null : List.copyOf(left);
        });
    }

    /** The pod whose queue a DEL of this owner has to stand in, or null if the owner has nothing and gets nothing. */
    @Nullable
    PodRef podOf(OwnerKey owner) {
        Lease lease = leases.get(owner);
        if (lease != null) {
            return lease.pod();
        }
        List<PodRef> pods = underWay.get(owner);
        return pods == null ? null : pods.get(pods.size() - 1);
    }
}
