package io.enipam.emulator.cloud;

import io.enipam.emulator.cloud.LatencySpec.Range;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;

/** How long calls and state changes take, drawn from the ranges of a description. Thread-safe. */
public final class LatencyProfile {
    private final LatencySpec spec;
    private final SplittableRandom random;

    private LatencyProfile(LatencySpec spec, long seed) {
        this.spec = spec;
        this.random = new SplittableRandom(seed);
    }

    /** Everything at once. */
    public static LatencyProfile none() {
        return of(LatencySpec.none(), 0);
    }

    /** As in the real cloud. */
    public static LatencyProfile real(long seed) {
        return of(LatencySpec.real(), seed);
    }

    /** As described. */
    public static LatencyProfile of(LatencySpec spec, long seed) {
        return new LatencyProfile(spec, seed);
    }

    /** How long a call of the action takes until it is answered. */
    public Duration ofCall(String action) {
        return draw(LatencySpec.kindOf(action));
    }

    /** How long a passing status lasts. */
    public Duration ofStatus(EniStatus status) {
        return draw(status.wireName().toLowerCase(Locale.ROOT));
    }

    /** How much later than the API the metadata service knows of a change. */
    public Duration ofMetadata() {
        return draw("metadata");
    }

    private Duration draw(String kind) {
        Range range = spec.ranges().get(kind);
        if (range == null) {
            return Duration.ZERO;
        }
        synchronized (random) {
            return Duration.ofMillis(
                    random.nextLong(range.least().toMillis(), range.most().toMillis() + 1));
        }
    }
}
