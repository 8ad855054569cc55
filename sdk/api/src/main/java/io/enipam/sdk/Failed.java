package io.enipam.sdk;

import java.time.Duration;

/**
 * One item of a batch that did not work out.
 *
 * @param kind what sort of failure, which decides the engine's reaction
 * @param message for an operator: what failed and why, with the provider's code and request id; no secrets
 * @param retryAfter how long to leave it alone at least; zero leaves the choice to the engine's back-off
 */
public record Failed(ErrorKind kind, String message, Duration retryAfter)
        implements CreateResult, DisposeResult, EffectResult {
    public Failed {
        if (retryAfter.isNegative()) {
            throw new IllegalArgumentException("retryAfter is negative: " + retryAfter);
        }
    }

    public static Failed of(ErrorKind kind, String message) {
        return new Failed(kind, message, Duration.ZERO);
    }
}
