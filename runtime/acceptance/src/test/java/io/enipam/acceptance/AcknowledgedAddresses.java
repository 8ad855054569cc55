package io.enipam.acceptance;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who has which address by what the callers were told, and since when it has been given back. Thread-safe.
 *
 * <p>A caller that gives an address back says so before it calls DEL, and one that got an address after the answer: the
 * times between are the daemon's, and in what remains no two may have the same.
 */
final class AcknowledgedAddresses {
    private final Map<String, String> owners = new ConcurrentHashMap<>();
    private final Map<String, Long> givenBack = new ConcurrentHashMap<>();
    private final long coolDownNanos;

    /** @param coolDown how long an address rests at least between two owners */
    AcknowledgedAddresses(Duration coolDown) {
        this.coolDownNanos = coolDown.toNanos();
    }

    void taken(String address, String owner) {
        String other = owners.putIfAbsent(address, owner);
        if (other != null && !other.equals(owner)) {
            throw new InvariantViolation(
                    address + " was lent to " + owner + " while " + other + " has it", address, owner, other);
        }
        Long since = givenBack.remove(address);
        long rest = since == null ? coolDownNanos : System.nanoTime() - since;
        if (rest < coolDownNanos) {
            throw new InvariantViolation(
                    address + " was lent to " + owner + " " + rest / 1_000_000
                            + " ms after it was given back: it has to cool down for " + coolDownNanos / 1_000_000,
                    address,
                    owner);
        }
    }

    void givenBack(String address, String owner) {
        givenBack.put(address, System.nanoTime());
        owners.remove(address, owner);
    }
}
