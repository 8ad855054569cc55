package io.enipam.datapath;

import io.enipam.engine.model.OwnerKey;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A lock for each owner; a few may share one. Thread-safe. */
final class OwnerLocks {
    private final Lock[] locks = new Lock[256];

    OwnerLocks() {
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new ReentrantLock();
        }
    }

    Lock of(OwnerKey owner) {
        return locks[Math.floorMod(owner.hashCode(), locks.length)];
    }
}
