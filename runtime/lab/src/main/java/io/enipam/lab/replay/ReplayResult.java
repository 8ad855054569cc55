package io.enipam.lab.replay;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What came of a replay.
 *
 * @param policy as it was typed
 * @param failures failed ADDs by their code; each was made again
 */
public record ReplayResult(
        String policy, long seed, Waits waits, Cloud cloud, Addresses addresses, Map<String, Long> failures) {
    public ReplayResult {
        failures = Collections.unmodifiableMap(new TreeMap<>(failures));
    }

    public long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * How long pods waited for an address, each from its first ADD to the one that gave it one.
     *
     * @param pods sandboxes of the trace
     * @param served those that had an address before the trace ended
     * @param share of the served that waited at all, 0 to 1
     * @param meanMillis the mean of all served
     * @param p50Millis half of the served waited no longer; rounded up
     * @param p99Millis 99 of a hundred waited no longer; rounded up
     */
    public record Waits(
            long pods, long served, double share, double meanMillis, long p50Millis, long p99Millis, long mostMillis) {
        /** @param nanos the waits of the served, in any order; they are sorted */
        public static Waits of(long pods, long[] nanos) {
            Arrays.sort(nanos);
            long waited = Arrays.stream(nanos).filter(wait -> wait > 0).count();
            return new Waits(
                    pods,
                    nanos.length,
                    nanos.length == 0 ? 0 : (double) waited / nanos.length,
                    Arrays.stream(nanos).average().orElse(0) / 1_000_000,
                    quantile(nanos, 0.5),
                    quantile(nanos, 0.99),
                    quantile(nanos, 1));
        }

        /** The nearest rank: the least wait that the share does not exceed. */
        private static long quantile(long[] sorted, double share) {
            if (sorted.length == 0) {
                return 0;
            }
            int rank = Math.max(1, (int) Math.ceil(share * sorted.length));
            return (sorted[rank - 1] + 999_999) / 1_000_000;
        }
    }

    /**
     * @param calls of the cloud's API during the trace, by action; each try counts, also a refused one
     * @param throttled those that the cloud's flow control refused
     */
    public record Cloud(Map<String, Long> calls, long throttled) {
        public Cloud {
            calls = Collections.unmodifiableMap(new TreeMap<>(calls));
        }

        public long total() {
            return calls.values().stream().mapToLong(Long::longValue).sum();
        }

        /** ENIs that were attached or detached. */
        public long eniChanges() {
            return calls.getOrDefault("AttachNetworkInterface", 0L) + calls.getOrDefault("DetachNetworkInterface", 0L);
        }
    }

    /**
     * Addresses over time, from a sample each second.
     *
     * @param idleHours the sum over time of those that were idle
     * @param heldHours the same of all that the node had
     * @param mostHeld at one moment
     */
    public record Addresses(double idleHours, double heldHours, int mostHeld) {}
}
