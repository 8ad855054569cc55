package io.enipam.node.cluster;

import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolView.RetryState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Why nothing can be made, for those who look at the node from outside. What failed long ago and was not tried again since says
 * nothing any more: nobody wanted anything, and if nobody were sent for that reason, nothing would ever be tried again.
 */
final class ProvisioningFailure {
    /** How long a failure counts after it would have been tried again. */
    static final Duration COUNTS = Duration.ofMinutes(5);

    /** From when on it is more than a hiccup. */
    static final Duration LONG = Duration.ofMinutes(5);

    private ProvisioningFailure() {}

    /** The failures in a row of which the last one still counts. */
    static Optional<RetryState> of(PendingWork agenda, Instant now) {
        return agenda.createTrouble().filter(setback -> {
            Instant last = setback.next().isAfter(setback.at()) ? setback.next() : setback.at();
            return now.isBefore(last.plus(COUNTS));
        });
    }

    /** The same, if they have gone on for long. */
    static Optional<RetryState> lasting(PendingWork agenda, Instant now) {
        return of(agenda, now)
                .filter(setback -> !setback.at().isBefore(setback.since().plus(LONG)));
    }
}
