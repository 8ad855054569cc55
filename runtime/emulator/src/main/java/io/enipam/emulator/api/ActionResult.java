package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.CloudStateStore;
import io.enipam.emulator.cloud.CloudState;

/**
 * What an action did.
 *
 * @param state the state to go to; the one that was given if nothing changes
 * @param body the answer without its request id
 */
public record ActionResult(CloudState state, ObjectNode body) implements CloudStateStore.Transition {}
