package io.enipam.daemon.rpc;

import io.enipam.daemon.orders.StandingOrders;
import io.enipam.engine.pool.Prospect;
import io.enipam.engine.pool.StandingOrder;
import io.enipam.engine.pool.StandingOrder.Kind;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.WarmPoolReply;
import io.enipam.v1.WarmPoolRequest;
import java.time.Duration;

/** {@code WarmPool} and {@code DrainPool}. */
final class OrderCalls {
    private static final Duration USUAL = Duration.ofMinutes(10);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(24);

    private final StandingOrders orders;

    OrderCalls(StandingOrders orders) {
        this.orders = orders;
    }

    WarmPoolReply warm(WarmPoolRequest request) {
        if (request.getIdle() < 1) {
            throw Failures.invalid("warm needs a number of addresses, at least 1", "as in: pool warm 20");
        }
        Duration keep = request.hasKeep() ? ProtoTime.duration(request.getKeep()) : USUAL;
        if (keep.compareTo(SHORTEST) < 0 || keep.compareTo(LONGEST) > 0) {
            throw Failures.invalid(
                    "addresses are kept for 1 s to 24 h, and not for " + words(keep), "as in: --for 10m");
        }
        StandingOrder order = orders.warm(request.getIdle(), keep);
        Prospect prospect = orders.prospect(order);
        boolean drained = orders.inForce().kind() == Kind.DRAINED;
        if (!request.getDryRun()) {
            orders.give(order, CniCalls.by());
        }
        WarmPoolReply.Builder reply = WarmPoolReply.newBuilder()
                .setProspect(PoolWire.prospect(prospect))
                .setDryRun(request.getDryRun())
                .setEndedDrain(drained);
        PoolWire.order(order).ifPresent(reply::setOrder);
        return reply.build();
    }

    private static String words(Duration keep) {
        return keep.compareTo(SHORTEST) < 0 && !keep.isNegative() ? keep.toMillis() + " ms" : keep.toSeconds() + " s";
    }

    DrainPoolReply drain(DrainPoolRequest request) {
        StandingOrder before = orders.inForce();
        StandingOrder wished = request.getUndo() ? undone(before) : drained(before);
        boolean changes = wished != before;
        Prospect prospect = orders.prospect(wished);
        if (changes && !request.getDryRun()) {
            orders.give(wished, CniCalls.by());
        }
        DrainPoolReply.Builder reply = DrainPoolReply.newBuilder()
                .setProspect(PoolWire.prospect(prospect))
                .setDryRun(request.getDryRun())
                .setChanged(changes);
        PoolWire.order(wished).ifPresent(reply::setOrder);
        return reply.build();
    }

    /** What is drained stays drained since when it was. */
    private StandingOrder drained(StandingOrder before) {
        return before.kind() == Kind.DRAINED ? before : orders.drained();
    }

    /** There is nothing to undo but a drain. */
    private StandingOrder undone(StandingOrder before) {
        return before.kind() == Kind.DRAINED ? orders.none() : before;
    }
}
