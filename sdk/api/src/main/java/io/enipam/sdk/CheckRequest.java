package io.enipam.sdk;

import java.time.Instant;

/** One run of a {@link Check}. Immutable and thread-safe. */
public interface CheckRequest {
    /** When it is made, by the host's clock. */
    Instant at();
}
