package io.enipam.daemon.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What is worth telling of something that changes: the first thing seen at once, another one when it has held for a while, and not
 * soon after the last change. Not thread-safe.
 */
final class Settling<T> {
    /** How long a change has to hold. */
    static final Duration HOLD = Duration.ofSeconds(10);

    /** How long a change is the last one at least. */
    static final Duration APART = Duration.ofMinutes(1);

    private Optional<T> settled = Optional.empty();
    private Instant settledAt = Instant.MIN;
    private Optional<T> coming = Optional.empty();
    private Instant comingSince = Instant.MIN;

    /** Something is seen; what is worth telling comes back. */
    T sees(T now, Instant at) {
        if (settled.filter(now::equals).isPresent()) {
            coming = Optional.empty();
        } else if (coming.filter(now::equals).isEmpty()) {
            coming = Optional.of(now);
            comingSince = at;
        }
        if (settled.isEmpty()
                || (coming.isPresent()
                        && !at.isBefore(comingSince.plus(HOLD))
                        && !at.isBefore(settledAt.plus(APART)))) {
            settled = Optional.of(now);
            settledAt = at;
            coming = Optional.empty();
        }
        return settled.orElse(now);
    }
}
