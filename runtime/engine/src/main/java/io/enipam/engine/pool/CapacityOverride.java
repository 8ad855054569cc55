package io.enipam.engine.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An operator's order to the pool that overrides what its policy wants. The policy knows nothing of it: the engine lays
 * it over the policy's target.
 *
 * @param idle of {@code WARM}: how many resources shall be idle; else 0
 * @param until when it ends by itself; empty for one that does not
 * @param met of {@code WARM}: whether as many were idle at once as it asks for, so that no more are made for it; else
 *     false
 */
public record CapacityOverride(Kind kind, int idle, Instant since, Optional<Instant> until, boolean met) {
    /** No order with an end lasts longer. */
    public static final Duration LONGEST = Duration.ofHours(24);

    public enum Kind {
        /** None: the policy alone decides. */
        NONE,
        /** So many are made idle once, and as many idle ones are kept from going back until it ends. */
        WARM,
        /** What is idle goes back, and nothing is made but for callers that wait. */
        DRAINED
    }

    public CapacityOverride {
        boolean warm = kind == Kind.WARM;
        if (idle < 0 || warm != until.isPresent() || (!warm && (idle != 0 || met))) {
            throw new IllegalArgumentException("a warm order needs a number and an end, and no other has them");
        }
    }

    public static CapacityOverride none(Instant since) {
        return new CapacityOverride(Kind.NONE, 0, since, Optional.empty(), false);
    }

    public static CapacityOverride drained(Instant since) {
        return new CapacityOverride(Kind.DRAINED, 0, since, Optional.empty(), false);
    }

    /** @param idle at least 1 */
    public static CapacityOverride warm(int idle, Instant since, Instant until) {
        return new CapacityOverride(Kind.WARM, idle, since, Optional.of(until), false);
    }

    /**
     * How much longer it lasts. A clock that was set since it was given, or is set once more, does not make it last
     * longer than was asked for.
     *
     * @return 0 to {@link #LONGEST}; 0 of an order without an end
     */
    public Duration left(Instant now) {
        return Stream.of(
                        LONGEST, Duration.between(now, until.orElse(now)), Duration.between(since, until.orElse(since)))
                .min(Comparator.naturalOrder())
                .filter(left -> !left.isNegative())
                .orElse(Duration.ZERO);
    }

    /** The same warm order, carried out: what it made and pods took is not made again. */
    public CapacityOverride carriedOut() {
        return new CapacityOverride(kind, idle, since, until, true);
    }

    /**
     * @param makes how many are made, with those that are being made already
     * @param keeps idle ones that stay: of an order to drain, addresses that go with their ENI alone, which others are
     *     still on
     * @param held cooling or reserved: they become idle when that ends
     * @param missing how many of the requested ones exceed the capacity
     */
    public record OverridePreview(int idle, int makes, int gives, int keeps, int held, int inUse, int missing) {}
}
