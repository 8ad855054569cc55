package io.enipam.aliyun.calls;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One API: what it may be called this minute, and how its calls have ended since the daemon started. What is counted is what went
 * over the wire, each retry on its own.
 *
 * @param api the cloud's name of it
 * @param throttles how many calls the cloud throttled
 * @param errors failures by code, at most 33 codes; those of further codes are under {@value #OTHER_CODES}
 * @param worked how long calls took that worked
 * @param failed how long calls took that failed
 * @param waited how long calls waited for this node's own limit before they were made; one that need not wait counts as zero
 */
public record ApiQuotaStatus(
        String api,
        Quota quota,
        long throttles,
        Map<String, Long> errors,
        LatencySnapshot worked,
        LatencySnapshot failed,
        LatencySnapshot waited) {
    /** The key under which failures are counted once there are too many codes. */
    public static final String OTHER_CODES = "other";

    /**
     * How often an API may be called.
     *
     * @param limit calls a minute as configured
     * @param allowed calls a minute allowed now: less than the limit for a while after throttling
     * @param used calls made this minute
     * @param left calls that may still be made this minute; 0 while the API is inhibited
     * @param minuteEnds when this minute of the clock ends
     * @param inhibitedUntil when the API may be called again after throttling, if that is to come
     */
    public record Quota(
            int limit, int allowed, int used, int left, Instant minuteEnds, Optional<Instant> inhibitedUntil) {}

    public ApiQuotaStatus {
        errors = Map.copyOf(errors);
    }

    /** Calls made. */
    public long calls() {
        return worked.count() + failed.count();
    }

    /** How long all calls took. */
    public LatencySnapshot latencies() {
        return worked.plus(failed);
    }

    /** The time that this share, 0 to 1, of the calls did not exceed, estimated from the histogram; zero if there were none. */
    public Duration quantile(double share) {
        return latencies().quantile(share).orElse(Duration.ZERO);
    }

    /** The errors, the most frequent first. */
    public Map<String, Long> errorsByCount() {
        Map<String, Long> sorted = new LinkedHashMap<>();
        errors.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .forEach(error -> sorted.put(error.getKey(), error.getValue()));
        return sorted;
    }
}
