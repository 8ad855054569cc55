package io.enipam.aliyun.client;

import io.enipam.aliyun.api.CloudApi;
import java.util.Map;

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
}
