package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pool at one moment, for inspection.
 *
 * @param at the moment
 * @param kind what it holds
 * @param policy name of the policy in force
 * @param watermarks lower and upper watermark, and the most that it may hold now
 * @param creating asked of the factory
 * @param waiting callers in the queue
 * @param entries everything it holds but those being created
 */
public record PoolView(
        Instant at, String kind, String policy, Watermarks watermarks, int creating, int waiting, List<Entry> entries) {
    public PoolView {
        entries = List.copyOf(entries);
    }

    public int capacity() {
        return watermarks.capacity();
    }

    public int minIdle() {
        return watermarks.minIdle();
    }

    public int maxIdle() {
        return watermarks.maxIdle();
    }

    /** How many resources are in each state; a state without any is 0. */
    public Map<ResourceState, Integer> counts() {
        Map<ResourceState, Integer> counts = new EnumMap<>(ResourceState.class);
        for (ResourceState state : ResourceState.values()) {
            counts.put(state, 0);
        }
        entries.forEach(entry -> counts.merge(entry.state(), 1, Integer::sum));
        counts.put(ResourceState.CREATING, creating);
        return Collections.unmodifiableMap(counts);
    }

    /** How many resources are in a state. */
    public int count(ResourceState state) {
        return state == ResourceState.CREATING
                ? creating
                : (int) entries.stream().filter(e -> e.state() == state).count();
    }

    /**
     * One resource.
     *
     * @param resource what it is
     * @param state its state
     * @param since when it entered the state
     * @param until when the state ends by itself, where it does
     * @param owner who has it, where somebody has
     * @param pod the pod that has it, or it is kept for, where there is one
     */
    public record Entry(
            Resource resource,
            ResourceState state,
            Instant since,
            Optional<Instant> until,
            Optional<OwnerKey> owner,
            Optional<PodRef> pod) {}
}
