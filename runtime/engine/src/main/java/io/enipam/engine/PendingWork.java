package io.enipam.engine;

import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.sdk.PodRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the engine has under way, and what it does next and when: for an operator who asks what is going to happen. The
 * parts are read one after another, so they may be microseconds apart.
 *
 * @param busy pods with an ADD, a DEL or the end of a lease under way: what sources say of them may differ for the
 *     moment
 * @param queue callers that wait for a resource, next first
 * @param creates resources that were asked for and have not come, oldest first
 * @param createTrouble why nothing could be made lately, and when it is tried again; empty after one that was made
 * @param disposals resources whose way back failed and is tried again
 */
public record PendingWork(
        Instant at,
        Set<PodRef> busy,
        List<WaiterView> queue,
        List<PendingCreate> creates,
        Optional<RetryState> createTrouble,
        Map<ResourceKey, RetryState> disposals,
        NextRuns next) {
    public PendingWork {
        busy = Set.copyOf(busy);
        queue = List.copyOf(queue);
        creates = List.copyOf(creates);
        disposals = Map.copyOf(disposals);
    }

    public static PendingWork empty(Instant at) {
        return new PendingWork(at, Set.of(), List.of(), List.of(), Optional.empty(), Map.of(), NextRuns.NONE);
    }

    /** When the periodic tasks run next; empty while the engine does not serve. */
    public record NextRuns(Optional<Instant> gc, Optional<Instant> reconcile, Optional<Instant> check) {
        public static final NextRuns NONE = new NextRuns(Optional.empty(), Optional.empty(), Optional.empty());
    }
}
