package io.enipam.node.cluster;

import java.time.Duration;
import java.util.Optional;

/**
 * What is worth telling of something that changes: the first thing seen at once, another one when it has held for a while, and not
 * soon after the last change. Measured by the clock that never jumps. Not thread-safe.
 */
final class ChangeDebouncer<T> {
    /** How long a change has to hold. */
    static final Duration HOLD = Duration.ofSeconds(10);

    /** How long a change is the last one at least. */
    static final Duration APART = Duration.ofMinutes(1);

    private Optional<T> settled = Optional.empty();
    private long settledAt;
    private Optional<T> coming = Optional.empty();
    private long comingSince;

    /**
     * Something is seen; what is worth telling comes back.
     *
     * @param nanos when, by the clock that never jumps
     */
    T observe(T now, long nanos) {
        if (settled.filter(now::equals).isPresent()) {
            coming = Optional.empty();
        } else if (coming.filter(now::equals).isEmpty()) {
            coming = Optional.of(now);
            comingSince = nanos;
        }
        if (settled.isEmpty()
                || (coming.isPresent()
                        && nanos - comingSince >= HOLD.toNanos()
                        && nanos - settledAt >= APART.toNanos())) {
            settled = Optional.of(now);
            settledAt = nanos;
            coming = Optional.empty();
        }
        return settled.orElse(now);
    }
}
