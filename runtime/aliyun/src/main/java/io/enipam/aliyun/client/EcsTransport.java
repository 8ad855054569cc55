package io.enipam.aliyun.client;

import io.enipam.aliyun.api.EcsApi;
import java.time.Duration;
import java.util.Optional;

/** Where calls go over the wire: each call once, no longer than its caller has time. */
@FunctionalInterface
public interface EcsTransport {
    /** The APIs, for one attempt, which notes what the cloud called it. */
    EcsApi forAttempt(CallAttempt attempt);

    /** How far the cloud's clock is ahead, as {@link EcsApi#clockAhead} tells it. */
    default Optional<Duration> clockAhead() {
        return Optional.empty();
    }
}
