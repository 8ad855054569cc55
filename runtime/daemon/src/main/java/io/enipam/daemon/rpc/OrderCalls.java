package io.enipam.daemon.rpc;

import io.enipam.daemon.orders.Decision;
import io.enipam.daemon.orders.StandingOrders;
import io.enipam.engine.pool.StandingOrder;
import io.enipam.engine.pool.StandingOrder.Kind;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.WarmPoolReply;
import io.enipam.v1.WarmPoolRequest;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** {@code WarmPool} and {@code DrainPool}. */
final class OrderCalls {
    private static final Duration USUAL = Duration.ofMinutes(10);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = StandingOrder.LONGEST;

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
        Decision decision = decision(before -> orders.warm(request.getIdle(), keep), request.getDryRun());
        WarmPoolReply.Builder reply = WarmPoolReply.newBuilder()
                .setProspect(PoolWire.prospect(decision.prospect()))
                .setDryRun(request.getDryRun())
                .setEndedDrain(decision.before().kind() == Kind.DRAINED);
        PoolWire.order(decision.order()).ifPresent(reply::setOrder);
        return reply.build();
    }

    private Decision decision(UnaryOperator<StandingOrder> decide, boolean dryRun) {
        return dryRun ? orders.weigh(decide) : orders.give(decide, CniCalls.by());
    }

    private static String words(Duration keep) {
        return keep.compareTo(SHORTEST) < 0 && !keep.isNegative() ? keep.toMillis() + " ms" : keep.toSeconds() + " s";
    }

    DrainPoolReply drain(DrainPoolRequest request) {
        Decision decision = decision(request.getUndo() ? this::undone : this::drained, request.getDryRun());
        DrainPoolReply.Builder reply = DrainPoolReply.newBuilder()
                .setProspect(PoolWire.prospect(decision.prospect()))
                .setDryRun(request.getDryRun())
                .setChanged(decision.changes());
        PoolWire.order(decision.order()).ifPresent(reply::setOrder);
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
