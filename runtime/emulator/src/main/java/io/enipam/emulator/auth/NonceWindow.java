package io.enipam.emulator.auth;

import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Nonces seen, each until its call's timestamp is too old to be replayed. Keeps at most a fixed number, forgetting the
 * oldest beyond it. Thread-safe.
 */
final class NonceWindow {
    private final int capacity;
    private final Map<String, Instant> seen = new LinkedHashMap<>();

    NonceWindow(int capacity) {
        this.capacity = capacity;
    }

    /** Notes a nonce; false if it was seen before. */
    synchronized boolean first(String nonce, Instant expires, Instant now) {
        if (seen.containsKey(nonce)) {
            return false;
        }
        Iterator<Instant> oldest = seen.values().iterator();
        while (oldest.hasNext()) {
            boolean over = oldest.next().isBefore(now);
            if (!over && seen.size() < capacity) {
                break;
            }
            oldest.remove();
        }
        seen.put(nonce, expires);
        return true;
    }
}
