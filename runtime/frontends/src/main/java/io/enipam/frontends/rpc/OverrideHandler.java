package io.enipam.frontends.rpc;

import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.Kind;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.node.overrides.CapacityOverrides.OverrideDecision;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.WarmPoolReply;
import io.enipam.v1.WarmPoolRequest;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** {@code WarmPool} and {@code DrainPool}. */
record OverrideHandler(CapacityOverrides overrides) {
    private static final Duration USUAL = Duration.ofMinutes(10);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = CapacityOverride.LONGEST;

    WarmPoolReply warm(WarmPoolRequest request) {
        if (request.getIdle() < 1) {
            throw GrpcFailures.invalid("warm needs a number of addresses, at least 1", "as in: pool warm 20");
        }
        Duration keep = request.hasKeep() ? Proto.duration(request.getKeep()) : USUAL;
        if (keep.compareTo(SHORTEST) < 0 || keep.compareTo(LONGEST) > 0) {
            throw GrpcFailures.invalid(
                    "addresses are kept for 1 s to 24 h, and not for " + words(keep), "as in: --for 10m");
        }
        OverrideDecision decision = decision(before -> overrides.warm(request.getIdle(), keep), request.getDryRun());
        WarmPoolReply.Builder reply = WarmPoolReply.newBuilder()
                .setDryRun(request.getDryRun())
                .setEndedDrain(decision.before().kind() == Kind.DRAINED);
        PoolMapper.order(decision.order()).ifPresent(reply::setOrder);
        Proto.fill(reply.getProspectBuilder(), decision.prospect());
        return reply.build();
    }

    private OverrideDecision decision(UnaryOperator<CapacityOverride> decide, boolean dryRun) {
        return dryRun ? overrides.preview(decide) : overrides.apply(decide, AccessRules.caller());
    }

    private static String words(Duration keep) {
        return keep.compareTo(SHORTEST) < 0 && !keep.isNegative() ? keep.toMillis() + " ms" : keep.toSeconds() + " s";
    }

    DrainPoolReply drain(DrainPoolRequest request) {
        OverrideDecision decision = decision(request.getUndo() ? this::undone : this::drained, request.getDryRun());
        DrainPoolReply.Builder reply =
                DrainPoolReply.newBuilder().setDryRun(request.getDryRun()).setChanged(decision.changes());
        PoolMapper.order(decision.order()).ifPresent(reply::setOrder);
        Proto.fill(reply.getProspectBuilder(), decision.prospect());
        return reply.build();
    }

    /** What is drained stays drained since when it was. */
    private CapacityOverride drained(CapacityOverride before) {
        return before.kind() == Kind.DRAINED ? before : overrides.drained();
    }

    /** There is nothing to undo but a drain. */
    private CapacityOverride undone(CapacityOverride before) {
        return before.kind() == Kind.DRAINED ? overrides.none() : before;
    }
}
