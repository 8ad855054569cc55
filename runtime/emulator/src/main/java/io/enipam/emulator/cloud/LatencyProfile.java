package io.enipam.emulator.cloud;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * How long calls and state changes take. The real cloud publishes no figures: these are inferred from how long its
 * clients wait. Thread-safe.
 */
public final class LatencyProfile {
    private record Range(long fromMillis, long toMillis) {}

    private static final Range DESCRIBE = new Range(50, 150);
    private static final Map<String, Range> CALLS = Map.of(
            "CreateNetworkInterface", new Range(500, 1500),
            "AttachNetworkInterface", new Range(300, 800),
            "DetachNetworkInterface", new Range(300, 800),
            "DeleteNetworkInterface", new Range(300, 800),
            "AssignPrivateIpAddresses", new Range(500, 1500),
            "UnassignPrivateIpAddresses", new Range(300, 1000));
    private static final Map<EniStatus, Range> STATES = Map.of(
            EniStatus.ATTACHING, new Range(2000, 5000),
            EniStatus.DETACHING, new Range(2000, 5000),
            EniStatus.DELETING, new Range(1000, 4000));

    private static final Range METADATA_LAG = new Range(0, 3000);

    private final boolean real;
    private final SplittableRandom random;

    private LatencyProfile(boolean real, long seed) {
        this.real = real;
        this.random = new SplittableRandom(seed);
    }

    /** Everything at once. */
    public static LatencyProfile none() {
        return new LatencyProfile(false, 0);
    }

    /** As in the real cloud. */
    public static LatencyProfile real(long seed) {
        return new LatencyProfile(true, seed);
    }

    /** How long a call of the action takes until it is answered. */
    public Duration ofCall(String action) {
        return draw(CALLS.getOrDefault(action, DESCRIBE));
    }

    /** How long a passing status lasts. */
    public Duration ofStatus(EniStatus status) {
        Range range = STATES.get(status);
        return range == null ? Duration.ZERO : draw(range);
    }

    /** How much later than the API the metadata service knows of a change. */
    public Duration ofMetadata() {
        return draw(METADATA_LAG);
    }

    private Duration draw(Range range) {
        if (!real) {
            return Duration.ZERO;
        }
        synchronized (random) {
            return Duration.ofMillis(random.nextLong(range.fromMillis(), range.toMillis() + 1));
        }
    }
}
