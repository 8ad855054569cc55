package io.enipam.emulator.fault;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The time as the gateway and the metadata service have it: right, or wrong on purpose. What the cloud itself does (how
 * long an attach takes, when a minute begins) uses the right time. Thread-safe.
 */
public final class SkewedClock implements InstantSource {
    private final InstantSource trueInstant;
    private volatile Duration skew = Duration.ZERO;

    /** A clock that is right for now. */
    public SkewedClock(InstantSource right) {
        this.trueInstant = right;
    }

    @Override
    public Instant instant() {
        return trueInstant.instant().plus(skew);
    }

    /** The right time. */
    public Instant trueInstant() {
        return trueInstant.instant();
    }

    /** How far it is ahead; negative if it is behind. */
    public Duration skew() {
        return skew;
    }

    /** Puts it ahead, or behind by a negative duration. */
    public void skew(Duration ahead) {
        skew = ahead;
    }
}
