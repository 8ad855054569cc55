package io.enipam.node.cluster;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.RetryState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * What there is to say of the node.
 *
 * @param supply whether the next pod gets an address
 * @param capacity how many pods can have one; empty as long as that is not known
 */
record NodeAvailability(AddressAvailability supply, OptionalInt capacity) {
    /** A start takes less, as a rule: until then what was said before is as good as any. */
    static final Duration START = Duration.ofMinutes(2);

    /**
     * Looks.
     *
     * @param broken why no pod can start here although the engine serves; empty if one can
     * @param up how long the daemon has been running
     * @return empty while the engine has not served yet, and need not have
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
}
