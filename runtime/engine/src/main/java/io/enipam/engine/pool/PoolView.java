package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The pool at one moment with all that it holds, for inspection. {@link PoolSummary} has the numbers alone, and costs a
 * fraction of it.
 *
 * @param entries everything it holds but those being created
 */
public record PoolView(Instant at, PoolSummary summary, List<Entry> entries) {
    public PoolView {
        entries = List.copyOf(entries);
    }

    /**
     * @param until when the state ends by itself, where it does
     * @param pod the pod that has it, or it is kept for, where there is one
     */
    public record Entry(
            Resource resource,
            ResourceState state,
            Instant since,
            Optional<Instant> until,
            Optional<OwnerKey> owner,
            Optional<PodRef> pod) {}

    /** @param until when its ADD fails for lack of a resource */
    public record WaiterView(OwnerKey owner, PodRef pod, Instant since, Instant until) {}

    /**
     * A resource that a factory was asked for and that has not come yet, for inspection.
     *
     * @param token the name of the request, as in the database's intents
     * @param until when the pool counts on it no more
     */
    public record PendingCreate(String token, String factory, Instant since, Instant until) {}

    /**
     * Something that failed and is tried again, for inspection.
     *
     * @param failures in a row, at least 1
     * @param since when the first of them failed
     */
    public record RetryState(int failures, ErrorKind kind, String message, Instant at, Instant next, Instant since) {
        /** The same by a clock that was set since: all dates are where they are as the clock goes now. */
        RetryState movedBy(Duration jump) {
            return new RetryState(failures, kind, message, at.plus(jump), next.plus(jump), since.plus(jump));
        }
    }
}
