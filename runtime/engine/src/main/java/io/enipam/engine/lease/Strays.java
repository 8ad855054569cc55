package io.enipam.engine.lease;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.Restoration;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sandboxes that the kernel is connected to and that have no lease: their addresses are not the cloud's, or another sandbox
 * has them. Their addresses stay out of the pool until a DEL disconnects the sandbox, or an ADD gives it another address.
 * Thread-safe.
 */
public final class Strays {
    private final Map<OwnerKey, Set<InetAddress>> strays = new ConcurrentHashMap<>();
    private final Restoration pool;

    public Strays(Restoration pool) {
        this.pool = pool;
    }

    /**
     * A sandbox is connected and has no lease.
     *
     * @param barred those of its addresses that nobody else has
     */
    public synchronized void put(OwnerKey owner, Set<InetAddress> barred) {
        strays.put(owner, Set.copyOf(barred));
        pool.bar(barred);
    }

    public boolean contains(OwnerKey owner) {
        return strays.containsKey(owner);
    }

    /** The sandbox is disconnected, or has a lease now. */
    public synchronized void remove(OwnerKey owner) {
        Set<InetAddress> its = strays.remove(owner);
        if (its != null) {
            Set<InetAddress> free = new HashSet<>(its);
            strays.values().forEach(free::removeAll);
            pool.unbar(free);
        }
    }
}
