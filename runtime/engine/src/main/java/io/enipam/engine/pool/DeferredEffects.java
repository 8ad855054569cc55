package io.enipam.engine.pool;

import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What a change under the pool's lock made necessary, to be carried out once the lock is released. */
final class DeferredEffects {
    /** Idle or waiting may be too many or too few. */
    boolean demand;
    /** Something went that may have kept a create from succeeding. */
    boolean capacityFreed;
    /** The cloud may have what the pool could use by now. */
    boolean comparisonDue;
    /** A hold was added that may end before all others. */
    boolean armHolds;

    final List<Served> served = new ArrayList<>(0);
    final List<ResourceId> ended = new ArrayList<>(0);
    /** What else the listener gets to know, in the order in which it happened. */
    final List<Consumer<PoolListener>> news = new ArrayList<>(0);
    /** Where the waiters' resources come from, for their traces. */
    String source = "the pool";

    /** Factories of which nothing is left; reported after all that goes back to them. */
    final List<String> drained = new ArrayList<>(0);

    /** Callers whose wait fails. */
    final List<Refused> refused = new ArrayList<>(0);

    /** Without the lock. */
    void carryOut(PoolCore core) {
        PoolListener listener = core.listener;
        for (Served one : served) {
            one.waiter().span.with("servedBy", source);
            core.scheduler.execute(() -> one.waiter().answer.complete(one.resource()));
        }
        refused.forEach(one -> core.scheduler.execute(() -> one.waiter().answer.completeExceptionally(one.why())));
        if (armHolds) {
            core.armHolds();
        }
        if (!ended.isEmpty()) {
            listener.holdsEnded(ended);
        }
        news.forEach(one -> one.accept(listener));
        drained.forEach(listener::drained);
        core.override.notifyChanges();
        if (capacityFreed) {
            listener.capacityFreed();
        }
        if (comparisonDue) {
            listener.comparisonDue();
        }
        if (demand) {
            listener.demandChanged();
        }
    }

    /** A waiter and why it gets nothing. */
    record Refused(Waiter waiter, IpamException why) {}

    /** A waiter and what it got. */
    record Served(Waiter waiter, Resource resource) {}
}
