package io.enipam.frontends.terway;

import io.enipam.engine.model.OwnerKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whose allocation is under way. A release names no interface, so that one which comes meanwhile has to learn here whom it means: the
 * engine then does one after the other. Thread-safe.
 *
 * <p>Between the answer to an allocation and the first link of the pod the plugin is at work: for some time after the answer, a sandbox
 * without a link is one that is being connected, and its address stays lent. {@link #beginsConnecting} and {@link #beginsEnding} exclude
 * each other, so that no allocation is answered whose address a DEL gives back at the same moment.
 */
final class ActiveAllocations {
    /** As long as terway's plugin waits for a call, and longer than it needs to connect a pod. */
    private static final Duration CONNECTING = Duration.ofSeconds(120);

    private final Map<OwnerKey, Integer> calls = new ConcurrentHashMap<>();
    private final Map<String, Long> connecting = new HashMap<>();
    private final Map<String, Integer> ending = new HashMap<>();

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

    /** The plugin is about to be answered and connects the container; false if a DEL gives its address back at this moment. */
    synchronized boolean beginsConnecting(String container) {
        if (ending.containsKey(container)) {
            return false;
        }
        long now = System.nanoTime();
        connecting.values().removeIf(since -> now - since > CONNECTING.toNanos());
        connecting.put(container, now);
        return true;
    }

    /** A DEL found nothing of the container; false if the plugin may be connecting it. To be followed by {@link #ended}. */
    synchronized boolean beginsEnding(String container) {
        Long since = connecting.get(container);
        if (since != null && System.nanoTime() - since <= CONNECTING.toNanos()) {
            return false;
        }
        ending.merge(container, 1, Integer::sum);
        return true;
    }

    /** What {@link #beginsEnding} began is over. */
    synchronized void ended(String container) {
        ending.computeIfPresent(container, (key, count) -> count == 1 ? null : count - 1);
    }

    /** What the container had was released: the plugin does not connect it any more. */
    synchronized void released(String container) {
        connecting.remove(container);
    }
}
