package io.enipam.engine.lease;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolRepair;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The strays of this start. Their addresses stay out of the pool until a DEL or the garbage collector disconnects the
 * sandbox, or an ADD gives it another address. Thread-safe; {@code this} guards the map.
 */
public final class UnmanagedSandboxRegistry {
    private final Map<OwnerKey, UnmanagedSandbox> strays = new TreeMap<>();
    private final PoolRepair pool;
    private final KeyedQueue<OwnerKey> turns = new KeyedQueue<>();

    public UnmanagedSandboxRegistry(PoolRepair pool) {
        this.pool = pool;
    }

    public synchronized void put(UnmanagedSandbox stray) {
        strays.put(stray.owner(), stray);
        pool.bar(stray.barred());
    }

    /**
     * Runs what makes or ends a lease of a stray, one at a time for each: they stand in the queues of different pods,
     * since a stray's pod may be a placeholder. A task in this queue waits for no pod's turn.
     */
    public <T> CompletableFuture<T> inTurn(OwnerKey owner, Supplier<? extends CompletionStage<T>> task) {
        return turns.run(owner, task);
    }

    public synchronized boolean contains(OwnerKey owner) {
        return strays.containsKey(owner);
    }

    public synchronized Optional<UnmanagedSandbox> find(OwnerKey owner) {
        return Optional.ofNullable(strays.get(owner));
    }

    /** All of them, ordered by owner. */
    public synchronized List<UnmanagedSandbox> all() {
        return List.copyOf(strays.values());
    }

    /** The sandbox is disconnected, or has a lease now. */
    public synchronized void remove(OwnerKey owner) {
        UnmanagedSandbox gone = strays.remove(owner);
        if (gone != null) {
            Set<InetAddress> free = new HashSet<>(gone.barred());
            strays.values().forEach(other -> free.removeAll(other.barred()));
            pool.unbar(free);
        }
    }

    /**
     * A sandbox that the kernel is connected to and that has no lease of the address it uses.
     *
     * @param pod its pod, which may be a placeholder
     * @param podUid the pod's UID, or empty text
     * @param barred those of its addresses that are kept out of the pool, also once another owner gives them back
     */
    public record UnmanagedSandbox(
            OwnerKey owner,
            PodRef pod,
            String podUid,
            Set<InetAddress> addresses,
            Set<InetAddress> barred,
            Instant since) {
        public UnmanagedSandbox {
            addresses = Set.copyOf(addresses);
            barred = Set.copyOf(barred);
        }
    }
}
