package io.enipam.engine.lease;

import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import java.util.concurrent.CompletableFuture;

/**
 * One ADD under way.
 *
 * @param caller who waits; completed by whoever is first, the last step or the caller's own deadline
 * @param trace its story
 * @param turn the first step of it: until the pod's turn has come
 */
record AddCall(AddCommand command, CallDeadline budget, CompletableFuture<AddOutcome> caller, Trace trace, Span turn) {
    static AddCall of(AddCommand command, TimeSource time, Trace trace) {
        return new AddCall(
                command, CallDeadline.of(time, command.timeout()), new CompletableFuture<>(), trace, trace.step("TURN"));
    }
}
