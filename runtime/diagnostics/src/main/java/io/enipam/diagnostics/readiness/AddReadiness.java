package io.enipam.diagnostics.readiness;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.ResourceDb;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Whether an ADD could be served now: the one result that CNI STATUS, {@code cni status}, {@code status},
 * {@code doctor}, the probes, the metrics and the node's condition use. Changes nothing. Thread-safe.
 *
 * @param trouble why the cloud or the factory cannot be used now; empty if it can
 * @param failing why all ADDs have failed of late; empty if they have not
 * @param simulates whether pods are simulated where the kernel is not to be changed: a sandbox does so, a node never
 */
public record AddReadiness(
        IpamEngine engine,
        ResourceDb db,
        NodeDatapath kernel,
        Supplier<Optional<String>> trouble,
        Supplier<Optional<String>> failing,
        boolean simulates) {
    /** What an ADD needs, in the order in which faults are reported. */
    public enum Requirement {
        /** It has recovered. */
        ENGINE,
        /** It can be written. */
        DATABASE,
        /** It can be changed, where this daemon connects pods. */
        KERNEL,
        /** Not all of late have failed. */
        ADDS,
        /**
         * An address is idle or can be made. A node that lends all that it can have lacks this, and is no broken one.
         */
        SUPPLY
    }

    /**
     * A part that is missing.
     *
     * @param reason why, one line for an operator
     */
    public record Fault(Requirement part, String reason) {}

    /**
     * @param faults none if an ADD can be served
     * @param lost whether, besides, sandboxes that are there may be without their network
     */
    public record Result(List<Fault> faults, boolean lost) {
        public Result {
            faults = List.copyOf(faults);
        }

        /** The code of a CNI STATUS result (1.1.0): 0; 50 if no ADD is served; 51 if addresses were lost as well. */
        public int code() {
            return faults.isEmpty() ? 0 : lost ? 51 : 50;
        }

        /** Why no ADD can be served; empty if one can. */
        public List<String> reasons() {
            return faults.stream().map(Fault::reason).toList();
        }

        /** What is wrong with one part; empty if nothing is. */
        public Optional<String> of(Requirement part) {
            return faults.stream()
                    .filter(fault -> fault.part() == part)
                    .map(Fault::reason)
                    .findFirst();
        }

        /** What is wrong with this node, be its addresses all lent or not; empty if nothing is. */
        public Optional<Fault> broken() {
            return faults.stream()
                    .filter(fault -> fault.part() != Requirement.SUPPLY)
                    .findFirst();
        }
    }

    /** The result for all callers but a container runtime. */
    public Result evaluate() {
        return evaluate(kernel.unusable());
    }

    /** Looks in the place of a runtime that calls by the CNI, and whose pods this daemon has to connect. */
    public Result evaluateForRuntime() {
        return evaluate(obstacle());
    }

    /** Why no pod of a container runtime can be connected, whatever the pool has; empty if one can. */
    public Optional<String> obstacle() {
        return simulates ? Optional.empty() : kernel.obstacle();
    }

    private Result evaluate(Optional<String> obstacle) {
        EngineStatus status = engine.status();
        PoolSummary pool = engine.poolSummary();
        List<Fault> faults = new ArrayList<>();
        boolean serves = status.phase() == Phase.READY;
        if (!serves) {
            faults.add(new Fault(Requirement.ENGINE, notServing(status)));
        }
        db.trouble()
                .ifPresent(found -> faults.add(
                        new Fault(Requirement.DATABASE, "the database cannot be written: " + found.cause())));
        obstacle.ifPresent(why -> faults.add(new Fault(Requirement.KERNEL, why)));
        Optional<String> supply = serves ? supply(pool) : Optional.empty();
        if (!full(pool)) {
            failing.get().ifPresent(why -> faults.add(new Fault(Requirement.ADDS, why)));
        }
        supply.ifPresent(why -> faults.add(new Fault(Requirement.SUPPLY, why)));
        return new Result(faults, pool.count(ResourceState.INVALID) > 0);
    }

    private String notServing(EngineStatus status) {
        return "the daemon is " + status.phase()
                + status.trouble()
                        .or(trouble)
                        .or(() -> Optional.of(status.detail()).filter(detail -> !detail.isEmpty()))
                        .map(why -> ": " + why)
                        .orElse("");
    }

    private Optional<String> supply(PoolSummary pool) {
        if (full(pool)) {
            return Optional.of(
                    "the pool has no address left: all " + pool.capacity() + " that this node can have are taken");
        }
        return pool.count(ResourceState.IDLE) > 0
                ? Optional.empty()
                : trouble.get()
                        .map(why -> "no address is idle, and none can be made: " + why)
                        .or(() -> SupplyShortage.of(engine.pendingWork(), pool));
    }

    private static boolean full(PoolSummary pool) {
        return pool.count(ResourceState.IDLE) == 0
                && pool.capacity() - pool.held() - pool.count(ResourceState.CREATING) <= 0;
    }

    /** Whether what the pool lacks can be made: the one source for {@code status} and CNI STATUS. */
    public static final class SupplyShortage {
        /** A caller that comes while creates have been unanswered for so long waits in vain. */
        private static final Duration LONG = Duration.ofSeconds(30);

        private static final DateTimeFormatter CLOCK =
                DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

        private SupplyShortage() {}

        /** Since when and why nothing is made although less than wanted is idle; empty if that is not so. */
        public static Optional<String> of(PendingWork agenda, PoolSummary pool) {
            int idle = pool.count(ResourceState.IDLE);
            if (idle > 0 && idle >= pool.minIdle()) {
                return Optional.empty();
            }
            String lack = idle == 0 ? "no address is idle" : idle + " idle, and " + pool.minIdle() + " are wanted";
            return failing(agenda).or(() -> unanswered(agenda, idle)).map(why -> lack + ", and " + why);
        }

        /** A failure that is not retried says nothing: the next caller may be served. */
        private static Optional<String> failing(PendingWork agenda) {
            return agenda.createTrouble()
                    .filter(last -> agenda.at().isBefore(last.next())
                            || !agenda.creates().isEmpty())
                    .map(SupplyShortage::words);
        }

        private static String words(RetryState last) {
            return "none can be made since " + CLOCK.format(last.since()) + ": " + last.message();
        }

        private static Optional<String> unanswered(PendingWork agenda, int idle) {
            return agenda.creates().stream()
                    .map(PendingCreate::since)
                    .min(Instant::compareTo)
                    .filter(since -> idle == 0 && !since.plus(LONG).isAfter(agenda.at()))
                    .map(since -> "creates have been waiting for the cloud since " + CLOCK.format(since)
                            + "; 'ecs calls' shows whether it answers");
        }
    }
}
