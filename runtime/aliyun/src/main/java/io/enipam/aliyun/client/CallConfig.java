package io.enipam.aliyun.client;

import io.enipam.aliyun.api.CloudApi;
import java.util.Map;
import java.time.Duration;

/**
 * How often the cloud may be asked, and how patiently.
 *
 * @param perMinute calls a minute by the cloud's name of the API; an empty name stands for all that are not named
 * @param backoffs back-off by terway's names ({@code eni_create}, {@code eni_ops}, {@code eni_release}, {@code eni_ip_ops});
 *     an empty name stands for all other calls
 */
public record CallConfig(Map<String, Integer> perMinute, Map<String, Backoff> backoffs) {
    /** Nothing configured. */
    public static final CallConfig USUAL = new CallConfig(Map.of(), Map.of());

    public CallConfig {
        perMinute = Map.copyOf(perMinute);
        backoffs = Map.copyOf(backoffs);
    }

    Backoff backoff(CloudApi api) {
        return backoffs.getOrDefault(api.backoffKey(), backoffs.getOrDefault("", Backoff.USUAL));
    }

    /**
     * How long a call waits before it is made again, and how often it is made. The whole stays within the one deadline of the
     * call, whatever this says.
     *
     * @param first the wait before the second attempt, more than zero
     * @param factor what each further wait is longer by, at least 1
     * @param jitter the random share of each wait, 0 to 1
     * @param attempts how often it is made at most, at least 1
     * @param longest no wait is longer than this; at least the first
     */
    public record Backoff(Duration first, double factor, double jitter, int attempts, Duration longest) {
        /** What an API has that is not configured. */
        public static final Backoff USUAL = new Backoff(Duration.ofMillis(200), 2, 0.25, 6, Duration.ofSeconds(5));

        public Backoff {
            if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
                throw new IllegalArgumentException("needs 0 < first <= longest, got " + first + ", " + longest);
            }
            if (factor < 1 || jitter < 0 || jitter > 1 || attempts < 1) {
                throw new IllegalArgumentException(
                        "needs factor >= 1, jitter 0 to 1, attempts >= 1, got " + factor + ", " + jitter + ", " + attempts);
            }
        }
    }
}
