package io.enipam.node.cluster;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * What the daemon reports about the node.
 *
 * @param supply whether the next pod gets an address
 * @param capacity how many pods can have one; empty until that is known
 */
record NodeAvailability(AddressAvailability supply, OptionalInt capacity) {
    /** A start usually takes less; until then the former report remains. */
    static final Duration START = Duration.ofMinutes(2);

    /**
     * Determines the report.
     *
     * @param broken why no pod can start here although the engine serves; empty if pods can start
     * @param up time since the daemon's start
     * @return empty while the engine has not served yet, and is still within its start time
     */
    static Optional<NodeAvailability> of(
            IpamEngine engine, Supplier<Optional<String>> broken, Instant now, Duration up) {
        EngineStatus status = engine.status();
        if (status.phase() != EngineStatus.Phase.READY) {
            boolean slow = status.phase() == EngineStatus.Phase.RECOVERING && up.compareTo(START) >= 0;
            return !slow
                    ? Optional.empty()
                    : Optional.of(new NodeAvailability(
                            new AddressAvailability(false, "the daemon does not serve yet: " + status.detail()),
                            OptionalInt.empty()));
        }
        PoolView pool = engine.pool();
        String stop = ProvisioningFailure.of(engine.pendingWork(), now)
                .map(RetryState::message)
                .orElse("");
        AddressAvailability supply = broken.get()
                .map(why -> new AddressAvailability(false, why))
                .orElseGet(() -> AddressAvailability.of(pool, stop));
        return Optional.of(new NodeAvailability(supply, OptionalInt.of(pool.capacity())));
    }

    /**
     * Whether the next pod gets an address, for the scheduler: an address is idle, or another can be made.
     *
     * @param sufficient whether it does
     * @param message why, for operators
     */
    record AddressAvailability(boolean sufficient, String message) {
        /**
         * Determines it.
         *
         * @param pool its present state
         * @param makesNone why none can be made now; empty text if one can
         */
        static AddressAvailability of(PoolView pool, String makesNone) {
            int idle = pool.count(ResourceState.IDLE);
            int held = pool.entries().size() + pool.creating();
            String figures = idle + " idle, " + pool.count(ResourceState.IN_USE) + " in use of " + pool.capacity();
            if (idle > 0) {
                return new AddressAvailability(true, "there are addresses: " + figures);
            }
            if (!makesNone.isEmpty()) {
                return new AddressAvailability(
                        false, "no address is idle, and none is made: " + makesNone + " (" + figures + ")");
            }
            return held < pool.capacity()
                    ? new AddressAvailability(true, "addresses are made when they are wanted: " + figures)
                    : new AddressAvailability(false, "the node has as many addresses as it can have: " + figures);
        }
    }

    /**
     * Why nothing can be made, for observers outside the node. An old failure without a later try no longer counts:
     * perhaps no pod needed an address since, and if the scheduler sent no pods because of it, there would never be
     * another try.
     */
    static final class ProvisioningFailure {
        /** How long a failure counts after the time of its retry. */
        static final Duration COUNTS = Duration.ofMinutes(5);

        /** From this duration on failures count as lasting. */
        static final Duration LONG = Duration.ofMinutes(5);

        private ProvisioningFailure() {}

        /** The failures in a row whose last one still counts. */
        static Optional<RetryState> of(PendingWork agenda, Instant now) {
            return agenda.createTrouble().filter(setback -> {
                Instant last = setback.next().isAfter(setback.at()) ? setback.next() : setback.at();
                return now.isBefore(last.plus(COUNTS));
            });
        }

        /** The same, if they have lasted for long. */
        static Optional<RetryState> lasting(PendingWork agenda, Instant now) {
            return of(agenda, now)
                    .filter(setback -> !setback.at().isBefore(setback.since().plus(LONG)));
        }
    }
}
