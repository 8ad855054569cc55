package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
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
     * @param owner who has it, where it has an owner
     * @param pod the pod that has it, or it is kept for, where there is one
     */
    public record Entry(
            Resource resource,
            ResourceState state,
            Instant since,
            Optional<Instant> until,
            Optional<OwnerKey> owner,
            Optional<PodRef> pod) {}

    /**
     * A caller in the pool's queue, for inspection.
     *
     * @param owner the sandbox that is to get an address
     * @param pod its pod
     * @param since when it began to wait
     * @param until when its ADD fails for lack of a resource
     */
    public record WaiterView(OwnerKey owner, PodRef pod, Instant since, Instant until) {}

    /**
     * A resource that a factory was asked for and that has not come yet, for inspection.
     *
     * @param token the name of the request, as in the database's intents
     * @param factory the factory that makes it
     * @param since when it was asked for
     * @param until when the pool counts on it no more
     */
    public record PendingCreate(String token, String factory, Instant since, Instant until) {}

    /**
     * Something that failed and is tried again, for inspection.
     *
     * @param failures in a row, at least 1
     * @param kind what kind of failure the last one was
     * @param message why the last try failed, one line for an operator
     * @param at when that was
     * @param next when it is tried again
     * @param since when the first of them failed
     */
    public record RetryState(int failures, ErrorKind kind, String message, Instant at, Instant next, Instant since) {
        /** The first failure. */
        public RetryState(int failures, ErrorKind kind, String message, Instant at, Instant next) {
            this(failures, kind, message, at, next, at);
        }

        /** The same by a clock that was set since: all dates are where they are as the clock goes now. */
        RetryState movedBy(Duration jump) {
            return new RetryState(failures, kind, message, at.plus(jump), next.plus(jump), since.plus(jump));
        }
    }
}
