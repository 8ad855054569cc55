package io.enipam.daemon.campaign;

import io.enipam.engine.model.OwnerKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the kubelet was told: which sandbox has which address. An address is a sandbox's from the acknowledged ADD to the moment
 * its DEL is sent, and nobody else's meanwhile. Thread-safe.
 */
final class Ledger {
    private final Map<String, OwnerKey> owners = new HashMap<>();
    private long acknowledged;
    private long refused;

    /** Takes note of an acknowledged ADD. */
    synchronized void lent(String address, OwnerKey owner) {
        acknowledged++;
        OwnerKey other = owners.putIfAbsent(address, owner);
        if (other != null && !other.equals(owner)) {
            throw new AssertionError(address + " was lent to " + owner + ", and " + other + " has it");
        }
        Optional<String> second = owners.entrySet().stream()
                .filter(entry ->
                        entry.getValue().equals(owner) && !entry.getKey().equals(address))
                .map(Map.Entry::getKey)
                .findFirst();
        if (second.isPresent()) {
            throw new AssertionError(owner + " was lent " + address + ", and has " + second.get());
        }
    }

    /** Takes note that a DEL is about to be sent, and says for which address. */
    synchronized Optional<String> givenBack(OwnerKey owner) {
        Optional<String> had = owners.entrySet().stream()
                .filter(entry -> entry.getValue().equals(owner))
                .map(Map.Entry::getKey)
                .findFirst();
        had.ifPresent(owners::remove);
        return had;
    }

    /** Takes note of an ADD that was refused with a code. */
    synchronized void refuse() {
        refused++;
    }

    synchronized long acknowledged() {
        return acknowledged;
    }

    synchronized long refused() {
        return refused;
    }

    /** Address by sandbox. */
    synchronized Map<OwnerKey, String> lent() {
        Map<OwnerKey, String> lent = new TreeMap<>();
        owners.forEach((address, owner) -> lent.put(owner, address));
        return lent;
    }
}
