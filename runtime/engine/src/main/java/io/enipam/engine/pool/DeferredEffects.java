package io.enipam.engine.pool;

import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.ResourceKey;
import io.enipam.sdk.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a change under the pool's lock made necessary, to be carried out once the lock is released. Most changes make
 * nothing of it necessary, so that the lists are made when they are needed.
 */
final class DeferredEffects {
    /** Idle or waiting may be too many or too few. */
    boolean demand;
    /** Something went that may have kept a create from succeeding. */
    boolean capacityFreed;
    /** The cloud may have what the pool could use by now. */
    boolean comparisonDue;
    /** A hold was added that may end before all others. */
    boolean armHolds;
    /** Where the waiters' resources come from, for their traces. */
    String source = "the pool";

    private boolean listed;
    private List<Served> served = List.of();
    private List<Refused> refused = List.of();
    private List<ResourceKey> ended = List.of();
    private List<Consumer<PoolListener>> news = List.of();
    private List<String> drained = List.of();

    void served(Waiter waiter, Resource resource) {
        served = with(served, new Served(waiter, resource));
    }

    void refused(Waiter waiter, IpamException why) {
        refused = with(refused, new Refused(waiter, why));
    }

    /** The hold of a slot is over: its row has to go. */
    void ended(Slot slot) {
        ended = with(ended, slot.holdRow());
    }

    /** What else the listener gets to know, in the order in which it happened. */
    void news(Consumer<PoolListener> one) {
        news = with(news, one);
    }

    /** A factory of which nothing is left; reported after all that goes back to it. */
    void drained(String maker) {
        drained = with(drained, maker);
    }

    private <T> List<T> with(List<T> list, T more) {
        List<T> all = list.isEmpty() ? new ArrayList<>() : list;
        all.add(more);
        listed = true;
        return all;
    }

    /** Without the lock. */
    void carryOut(PoolCore core) {
        PoolListener listener = core.listener;
        if (listed || armHolds) {
            carryOutLists(core);
        }
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

    private void carryOutLists(PoolCore core) {
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
    }

    private record Refused(Waiter waiter, IpamException why) {}

    private record Served(Waiter waiter, Resource resource) {}
}
