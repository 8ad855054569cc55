package io.enipam.aliyun.client;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsFailure;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Another {@link EcsApi} with patience: a rate limit for each API, and retries as far as they are safe. Thread-safe;
 * blocks its caller for {@link #BUDGET} and one call more at most.
 *
 * <p>Who may be asked twice. A call the cloud refused unread (throttled, conflict) always; a call whose outcome is unknown
 * only if it is a look-up or carries a client token, which the retry repeats. Attach, Detach, Delete and Unassign have
 * none: their unknown outcomes go to the caller, who looks before he asks again.
 */
public final class PatientEcsApi implements EcsApi {
    /** How long one call may take, its retries and its wait for the rate limit included. */
    public static final Duration BUDGET = Duration.ofSeconds(20);

    /** The APIs with what peers allow themselves in a minute, and whether an unknown outcome may be asked again. */
    enum Api {
        CREATE(500, true),
        ATTACH(500, false),
        DETACH(400, false),
        DELETE(500, false),
        ASSIGN(400, true),
        UNASSIGN(400, false),
        DESCRIBE_ENIS(800, true),
        DESCRIBE_TYPES(400, true),
        DESCRIBE_INSTANCES(500, true),
        DESCRIBE_VSWITCHES(300, true);

        private final int perMinute;
        private final boolean repeatable;

        Api(int perMinute, boolean repeatable) {
            this.perMinute = perMinute;
            this.repeatable = repeatable;
        }
    }

    private final EcsApi wire;
    private final Map<Api, RateLimiter> limits = new EnumMap<>(Api.class);
    private final Map<Api, RetryPolicy<Object>> retries = new EnumMap<>(Api.class);

    public PatientEcsApi(EcsApi wire) {
        this(wire, Duration.ofMillis(200));
    }

    /** @param firstBackOff wait before the first retry; doubles up to five seconds, with a quarter of jitter */
    PatientEcsApi(EcsApi wire, Duration firstBackOff) {
        this.wire = wire;
        for (Api api : Api.values()) {
            limits.put(
                    api,
                    RateLimiter.of(
                            api.name(),
                            RateLimiterConfig.custom()
                                    .limitForPeriod(api.perMinute)
                                    .limitRefreshPeriod(Duration.ofMinutes(1))
                                    .timeoutDuration(BUDGET)
                                    .build()));
            retries.put(
                    api,
                    RetryPolicy.builder()
                            .handleIf(failure -> failure instanceof EcsFailure ecs && mayAskAgain(api, ecs))
                            .withBackoff(firstBackOff, firstBackOff.multipliedBy(25))
                            .withJitter(0.25)
                            .withMaxRetries(5)
                            .withMaxDuration(BUDGET)
                            .build());
        }
    }

    private static boolean mayAskAgain(Api api, EcsFailure failure) {
        return switch (failure.reaction()) {
            case BACK_OFF -> true;
            case RETRY_SAME_TOKEN -> api.repeatable;
            default -> false;
        };
    }

    private <T> T patiently(Api api, Supplier<T> call) {
        try {
            return Failsafe.with(retries.get(api)).get(() -> {
                if (!limits.get(api).acquirePermission()) {
                    throw new EcsFailure(
                            api.name(),
                            "Throttling.Client",
                            400,
                            "",
                            "this node's own limit of calls a minute is used up");
                }
                return call.get();
            });
        } catch (FailsafeException e) {
            // Interrupted in a back-off: the process is closing.
            Thread.currentThread().interrupt();
            throw new EcsFailure(api.name(), "SDK.Interrupted", 0, "", "interrupted while waiting to ask again");
        }
    }

    @Override
    public NetworkInterface createNetworkInterface(NewInterface wish) {
        return patiently(Api.CREATE, () -> wire.createNetworkInterface(wish));
    }

    @Override
    public Answer attachNetworkInterface(String eniId, String instanceId) {
        return patiently(Api.ATTACH, () -> wire.attachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Answer detachNetworkInterface(String eniId, String instanceId) {
        return patiently(Api.DETACH, () -> wire.detachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Answer deleteNetworkInterface(String eniId) {
        return patiently(Api.DELETE, () -> wire.deleteNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterface(String eniId) {
        return patiently(Api.DESCRIBE_ENIS, () -> wire.describeNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        return patiently(Api.DESCRIBE_ENIS, () -> wire.describeNetworkInterfaces(tags));
    }

    @Override
    public List<NetworkInterface> describeAttached(String instanceId) {
        return patiently(Api.DESCRIBE_ENIS, () -> wire.describeAttached(instanceId));
    }

    @Override
    public List<NetworkInterface> describeHolders(String vswitchId, List<String> ips) {
        return patiently(Api.DESCRIBE_ENIS, () -> wire.describeHolders(vswitchId, ips));
    }

    @Override
    public AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        return patiently(Api.ASSIGN, () -> wire.assignPrivateIpAddresses(eniId, count, clientToken));
    }

    @Override
    public Answer unassignPrivateIpAddresses(String eniId, List<String> ips) {
        return patiently(Api.UNASSIGN, () -> wire.unassignPrivateIpAddresses(eniId, ips));
    }

    @Override
    public InstanceTypeLimits describeInstanceType(String instanceType) {
        return patiently(Api.DESCRIBE_TYPES, () -> wire.describeInstanceType(instanceType));
    }

    @Override
    public List<String> describeSecurityGroups(String instanceId) {
        return patiently(Api.DESCRIBE_INSTANCES, () -> wire.describeSecurityGroups(instanceId));
    }

    @Override
    public VSwitch describeVSwitch(String vswitchId) {
        return patiently(Api.DESCRIBE_VSWITCHES, () -> wire.describeVSwitch(vswitchId));
    }
}
