package io.enipam.aliyun.client;

import dev.failsafe.RetryPolicy;
import dev.failsafe.RetryPolicyBuilder;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.api.EcsException;
import java.util.EnumMap;
import java.util.Map;
import io.enipam.aliyun.client.CallConfig.Backoff;

/** How often and how fast each API is asked again, by the settings. Whether at all, {@link RetryingCall} says. Immutable. */
final class RetryPolicies {
    private final Map<CloudApi, RetryPolicy<Object>> policies = new EnumMap<>(CloudApi.class);

    RetryPolicies(CallConfig settings) {
        for (CloudApi api : CloudApi.values()) {
            policies.put(api, policy(settings.backoff(api)));
        }
    }

    private static RetryPolicy<Object> policy(Backoff backoff) {
        RetryPolicyBuilder<Object> builder =
                RetryPolicy.builder().handle(EcsException.class).withMaxAttempts(backoff.attempts());
        if (backoff.factor() > 1 && backoff.longest().compareTo(backoff.first()) > 0) {
            builder.withBackoff(backoff.first(), backoff.longest(), backoff.factor());
        } else {
            builder.withDelay(backoff.first());
        }
        return builder.withJitter(backoff.jitter()).build();
    }

    RetryPolicy<Object> of(CloudApi api) {
        RetryPolicy<Object> policy = policies.get(api);
        if (policy == null) {
            throw new IllegalStateException("every API has a policy: " + api);
        }
        return policy;
    }
}
