package io.enipam.examples.swarm.pools;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Where searches began before a transaction, of those that it made: so one that is not committed, and is made again, gives the same. Not
 * thread-safe.
 */
public final class Turns {
    private final Map<Object, Runnable> before = new IdentityHashMap<>();

    /** A transaction begins; the one before is committed. */
    public void begin() {
        before.clear();
    }

    /** The transaction was not committed. */
    public void back() {
        before.values().forEach(Runnable::run);
        before.clear();
    }

    /** @param back sets a pool's turn to what it is now */
    void changes(Object pool, Runnable back) {
        before.putIfAbsent(pool, back);
    }
}
