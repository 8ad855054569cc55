package io.enipam.kubernetes.api;

import java.time.Instant;

/** Told of every request that was answered or failed, repetitions by the client included. Thread-safe, never blocks, never throws. */
@FunctionalInterface
public interface RequestListener {
    /** Nobody listens. */
    RequestListener NONE = (request, code) -> {};

    /**
     * A request is over; for a watch, once it is open.
     *
     * @param request verb and resource, of a bounded set: {@code GET pods}, {@code WATCH pods}, {@code PATCH nodes/status}
     * @param code HTTP status, or 0 if no answer came
     */
    void onCompleted(String request, int code);

    /** An answer said what time it is at the server, cut to the second. */
    default void onServerDate(Instant server) {}
}
