package io.enipam.aliyun.client;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.engine.concurrent.Backoff;
import java.time.Duration;
import java.util.Map;

/**
 * How often the cloud may be called, and how failed calls are retried.
 *
 * @param perMinute calls a minute by the cloud's name of the API; an empty name stands for all that are not named
 * @param retries by terway's names ({@code eni_create}, {@code eni_ops}, {@code eni_release}, {@code eni_ip_ops}); an empty name
 *     stands for all other calls
 */
public record CallConfig(Map<String, Integer> perMinute, Map<String, Retries> retries) {
    /** Nothing configured. */
    public static final CallConfig USUAL = new CallConfig(Map.of(), Map.of());

    public CallConfig {
        perMinute = Map.copyOf(perMinute);
        retries = Map.copyOf(retries);
    }

    Retries retries(CloudApi api) {
        return retries.getOrDefault(api.backoffKey(), retries.getOrDefault("", Retries.USUAL));
    }

    /**
     * The retries of one call, all of them within the call's one deadline.
     *
     * @param backoff the pauses, without jitter
     * @param jitter the random share of each pause, 0 to 1
     * @param attempts how often the call is made at most, at least 1
     */
    public record Retries(Backoff backoff, double jitter, int attempts) {
        /** Of an API that is not configured. */
        public static final Retries USUAL =
                new Retries(Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(5)), 0.25, 6);

        public Retries {
            if (jitter < 0 || jitter > 1 || attempts < 1) {
                throw new IllegalArgumentException(
                        "needs jitter 0 to 1 and attempts >= 1, got " + jitter + ", " + attempts);
            }
        }
    }
}
