package io.enipam.sdk;

import java.time.Instant;

/** What an owner asks an {@link Allocator} for. Immutable. */
public interface Claim {
    ClaimId id();

    /** The owner. */
    Subject subject();

    Wishes wishes();

    /** When the caller gives up. */
    Instant deadline();
}
