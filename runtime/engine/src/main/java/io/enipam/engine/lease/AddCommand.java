package io.enipam.engine.lease;

import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.time.Duration;

/**
 * A wish for an address: CNI ADD.
 *
 * @param owner the sandbox's interface
 * @param pod the pod
 * @param podUid the pod's UID as the runtime tells it, or empty text
 * @param link how it is to be connected
 * @param timeout how long the caller waits, above zero
 * @param by who asks, for the story of it: {@code shell}, {@code cni}, {@code terway}; or empty text
 */
public record AddCommand(OwnerKey owner, PodRef pod, String podUid, LinkRequest link, Duration timeout, String by) {
    /** A simulated pod of an unnamed caller. */
    public AddCommand(OwnerKey owner, PodRef pod, Duration timeout) {
        this(owner, pod, LinkRequest.simulated(), timeout, "");
    }

    /** A pod whose UID the caller does not tell. */
    public AddCommand(OwnerKey owner, PodRef pod, LinkRequest link, Duration timeout, String by) {
        this(owner, pod, "", link, timeout, by);
    }

    public AddCommand {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout must be above zero, got " + timeout);
        }
    }
}
