package io.enipam.engine.lease;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.time.Duration;

/**
 * A wish for an address: CNI ADD.
 *
 * @param owner the sandbox's interface
 * @param pod the pod
 * @param netns path of the network namespace, or empty text to simulate: the same path but for the kernel
 * @param timeout how long the caller waits, above zero
 * @param by who asks, for the story of it: {@code shell}, {@code cni}; or empty text
 */
public record AddCommand(OwnerKey owner, PodRef pod, String netns, Duration timeout, String by) {
    /** Nobody says who asks. */
    public AddCommand(OwnerKey owner, PodRef pod, String netns, Duration timeout) {
        this(owner, pod, netns, timeout, "");
    }

    public AddCommand {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout must be above zero, got " + timeout);
        }
    }
}
