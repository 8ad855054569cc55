package io.enipam.daemon.terway;

import io.enipam.engine.model.OwnerKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whose allocation is under way. A release names no interface, so that one which comes meanwhile has to learn here whom it means: the
 * engine then does one after the other. Thread-safe.
 */
final class Underway {
    private final Map<OwnerKey, Integer> calls = new ConcurrentHashMap<>();

    void begins(OwnerKey owner) {
        calls.merge(owner, 1, Integer::sum);
    }

    void ends(OwnerKey owner) {
        calls.computeIfPresent(owner, (key, count) -> count == 1 ? null : count - 1);
    }

    List<OwnerKey> of(String container) {
        return calls.keySet().stream()
                .filter(owner -> owner.containerId().equals(container))
                .toList();
    }
}
