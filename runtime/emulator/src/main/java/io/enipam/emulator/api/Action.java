package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudStateStore;

/**
 * One action of the API, a row of {@link Actions}.
 *
 * @param name the value of the Action parameter
 * @param takesClientToken whether a call may carry a ClientToken
 * @param mayBeLate whether it describes the cloud as it was a while ago, if the latency has a lag for descriptions
 * @param work what it does; pure: it reads the call alone
 */
public record Action(String name, boolean takesClientToken, boolean mayBeLate, Work work) {
    /** The function of an action. */
    @FunctionalInterface
    public interface Work {
        /**
         * Computes the result and the next state.
         *
         * @throws ApiError.ApiException if the call is refused; then nothing changes
         */
        Result apply(ActionCall call);
    }

    /**
     * What an action did.
     *
     * @param state the next state; the call's own if nothing changes
     * @param body the answer without its request id
     */
    public record Result(CloudState state, ObjectNode body) implements CloudStateStore.Transition {}
}
