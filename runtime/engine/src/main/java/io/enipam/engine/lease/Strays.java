package io.enipam.engine.lease;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.Restoration;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The strays of this start. Their addresses stay out of the pool until a DEL or the garbage collector disconnects the sandbox,
 * or an ADD gives it another address. Thread-safe; {@code this} guards the map.
 */
public final class Strays {
    private final Map<OwnerKey, Stray> strays = new TreeMap<>();
    private final Restoration pool;

    public Strays(Restoration pool) {
        this.pool = pool;
    }

    public synchronized void put(Stray stray) {
        strays.put(stray.owner(), stray);
        pool.bar(stray.barred());
    }

    public synchronized boolean contains(OwnerKey owner) {
        return strays.containsKey(owner);
    }

    public synchronized Optional<Stray> find(OwnerKey owner) {
        return Optional.ofNullable(strays.get(owner));
    }

    /** All of them, ordered by owner. */
    public synchronized List<Stray> all() {
        return List.copyOf(strays.values());
    }

    /** The sandbox is disconnected, or has a lease now. */
    public synchronized void remove(OwnerKey owner) {
        Stray gone = strays.remove(owner);
        if (gone != null) {
            Set<InetAddress> free = new HashSet<>(gone.barred());
            strays.values().forEach(other -> free.removeAll(other.barred()));
            pool.unbar(free);
        }
    }
}
