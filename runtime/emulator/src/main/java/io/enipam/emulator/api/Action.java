package io.enipam.emulator.api;

import io.enipam.emulator.cloud.CloudState;

/** One action of the API. It is pure: it reads the call and the state, and answers or throws. */
public interface Action {
    /** The value of the Action parameter. */
    String name();

    /** Whether a call may carry a ClientToken. */
    default boolean takesClientToken() {
        return false;
    }

    /** Whether it describes the cloud as it was a while ago, if the latency says so. */
    default boolean mayBeLate() {
        return false;
    }

    /**
     * Does it.
     *
     * @throws ApiException if the answer is no; then nothing changes
     */
    ActionResult apply(ActionCall call, CloudState state);
}
