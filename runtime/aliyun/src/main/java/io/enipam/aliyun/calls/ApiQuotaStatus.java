package io.enipam.aliyun.calls;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One API: what may be asked of it this minute, and how it has fared since the daemon started. What is counted is what went
 * over the wire, each retry on its own.
 *
 * @param api the cloud's name of it
 * @param limit calls a minute as configured
 * @param allowed calls a minute allowed now: less than the limit for a while after throttling
 * @param used calls made this minute
 * @param left calls that may still be made this minute; 0 while the API is inhibited
 * @param minuteEnds when this minute of the clock ends
 * @param inhibitedUntil when the API may be called again after throttling, if that is to come
 * @param calls calls made
 * @param throttles how many of them the cloud throttled
 * @param errors failures by code, at most 33 codes; those of further codes are under {@value #OTHER_CODES}
 * @param p50 half of the calls took no longer, zero if there were none; estimated from the histogram
 * @param p99 99 percent of the calls took no longer; estimated from the histogram
 * @param max the longest call
 * @param latencies the histogram of what calls took
 */
public record ApiQuotaStatus(
        String api,
        int limit,
        int allowed,
        int used,
        int left,
        Instant minuteEnds,
        Optional<Instant> inhibitedUntil,
        long calls,
        long throttles,
        Map<String, Long> errors,
        Duration p50,
        Duration p99,
        Duration max,
        List<Bucket> latencies) {
    /** Under which failures are counted once there are too many codes. */
    public static final String OTHER_CODES = "other";

    public ApiQuotaStatus {
        errors = Map.copyOf(errors);
        latencies = List.copyOf(latencies);
    }

    /** The errors, the most frequent first. */
    public Map<String, Long> errorsByCount() {
        Map<String, Long> sorted = new LinkedHashMap<>();
        errors.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .forEach(error -> sorted.put(error.getKey(), error.getValue()));
        return sorted;
    }

    /**
     * How many calls took more than the bucket before says and at most this long.
     *
     * @param most empty: any longer time
     */
    public record Bucket(Optional<Duration> most, long count) {}

    /**
     * How long one API took, each retry on its own.
     *
     * @param api the cloud's name of it
     * @param worked calls that worked
     * @param failed calls that failed
     * @param waited how long calls waited for this node's own limit before they were made; one that need not wait counts as zero
     */
    public record ApiLatencies(String api, LatencySnapshot worked, LatencySnapshot failed, LatencySnapshot waited) {}
}
