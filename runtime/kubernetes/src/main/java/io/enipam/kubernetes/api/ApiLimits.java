package io.enipam.kubernetes.api;

import java.time.Duration;

/**
 * How hard and how patiently the API server is asked.
 *
 * @param perSecond requests a second, watches aside, above zero; as many as a second's may come at once
 * @param connect how long a connection may take, above zero
 * @param request how long an answer may take, connection included, above zero
 * @param pause how long a watch that broke rests, at first and about: no two nodes rest equally long. Above zero
 */
public record ApiLimits(int perSecond, Duration connect, Duration request, Duration pause) {
    public ApiLimits {
        if (perSecond < 1) {
            throw new IllegalArgumentException("at least one request a second, not " + perSecond);
        }
        if (connect.toMillis() < 1 || request.toMillis() < 1 || pause.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "a limit of " + connect + ", " + request + " or " + pause + " is no time at all");
        }
    }

    /** What kubelets are given, and four seconds for an answer: an ADD waits five. */
    public static ApiLimits usual() {
        return new ApiLimits(20, Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(1));
    }

    /** The same, with so many requests a second. */
    public ApiLimits perSecond(int requests) {
        return new ApiLimits(requests, connect, request, pause);
    }
}
