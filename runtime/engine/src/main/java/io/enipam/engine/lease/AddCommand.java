package io.enipam.engine.lease;

import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.time.Duration;

/**
 * CNI ADD: a request for an address.
 *
 * @param podUid the pod's UID as the runtime reports it, or empty text
 * @param timeout how long the caller waits, above zero
 * @param by the caller's name for the trace: {@code shell}, {@code cni}, {@code terway}; or empty text
 */
public record AddCommand(OwnerKey owner, PodRef pod, String podUid, LinkRequest link, Duration timeout, String by) {
    /** A simulated pod of an unnamed caller. */
    public AddCommand(OwnerKey owner, PodRef pod, Duration timeout) {
        this(owner, pod, LinkRequest.simulated(), timeout, "");
    }

    /** A pod whose UID the caller does not give. */
    public AddCommand(OwnerKey owner, PodRef pod, LinkRequest link, Duration timeout, String by) {
        this(owner, pod, "", link, timeout, by);
    }

    public AddCommand {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout must be above zero, got " + timeout);
        }
    }
}
