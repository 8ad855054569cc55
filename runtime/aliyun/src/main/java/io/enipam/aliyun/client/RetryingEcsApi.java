package io.enipam.aliyun.client;

import static io.enipam.aliyun.api.CloudApi.ASSIGN_IPV6_ADDRESSES;
import static io.enipam.aliyun.api.CloudApi.ASSIGN_PRIVATE_IP_ADDRESSES;
import static io.enipam.aliyun.api.CloudApi.ATTACH_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.CREATE_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.CREATE_ROUTE_ENTRY;
import static io.enipam.aliyun.api.CloudApi.DELETE_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.DELETE_ROUTE_ENTRY;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_INSTANCES;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_INSTANCE_TYPES;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_NETWORK_INTERFACES;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_ROUTE_ENTRY_LIST;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_VSWITCHES;
import static io.enipam.aliyun.api.CloudApi.DETACH_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.UNASSIGN_IPV6_ADDRESSES;
import static io.enipam.aliyun.api.CloudApi.UNASSIGN_PRIVATE_IP_ADDRESSES;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The cloud with patience: every call waits for its turn, is made again as far as that is safe, is over within
 * {@link #BUDGET}, and is in the {@link ApiCallLog}. Thread-safe. {@link RetryingCall} says which calls are repeated.
 */
public final class RetryingEcsApi implements EcsApi {
    /** How long one call blocks its caller at most, its retries and its waits for the rate limit included. */
    public static final Duration BUDGET = Duration.ofSeconds(20);

    private final CallContext around;
    private final List<String> waiting;
    private final Duration budget;

    public RetryingEcsApi(CallContext around) {
        this(around, List.of(), BUDGET);
    }

    /**
     * @param waiting tokens of requests and ids of resources that wait for the calls
     * @param budget of each call, at most {@link #BUDGET}
     */
    private RetryingEcsApi(CallContext around, List<String> waiting, Duration budget) {
        this.around = around;
        this.waiting = waiting;
        this.budget = budget;
    }

    @Override
    public EcsApi onBehalfOf(List<String> whom) {
        return new RetryingEcsApi(around, whom, budget);
    }

    @Override
    public EcsApi within(Duration limit) {
        return new RetryingEcsApi(around, waiting, limit.compareTo(BUDGET) < 0 ? limit : BUDGET);
    }

    /** @param target what the call is about, for operators */
    private <T> T call(CloudApi api, String target, Function<EcsApi, T> call) {
        Trace trace = around.book().traces().begin(Trace.Operation.CLOUD, TraceSink.Subject.named(target, waiting));
        trace.with("api", api.wireName());
        return new RetryingCall<>(around, api, target, call, budget, trace).execute();
    }

    @Override
    public Optional<Duration> clockAhead() {
        return around.wire().clockAhead();
    }

    @Override
    public NetworkInterface createNetworkInterface(CreateInterfaceRequest wish) {
        return call(CREATE_NETWORK_INTERFACE, wish.vswitchId(), wire -> wire.createNetworkInterface(wish));
    }

    @Override
    public Acknowledgement attachNetworkInterface(String eniId, String instanceId) {
        return call(ATTACH_NETWORK_INTERFACE, eniId, wire -> wire.attachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Acknowledgement attachMember(String eniId, String instanceId, String trunkId) {
        String target = eniId + " on " + trunkId;
        return call(ATTACH_NETWORK_INTERFACE, target, wire -> wire.attachMember(eniId, instanceId, trunkId));
    }

    @Override
    public Acknowledgement detachNetworkInterface(String eniId, String instanceId) {
        return call(DETACH_NETWORK_INTERFACE, eniId, wire -> wire.detachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Acknowledgement deleteNetworkInterface(String eniId) {
        return call(DELETE_NETWORK_INTERFACE, eniId, wire -> wire.deleteNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterface(String eniId) {
        return call(DESCRIBE_NETWORK_INTERFACES, eniId, wire -> wire.describeNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        return call(DESCRIBE_NETWORK_INTERFACES, "by tags", wire -> wire.describeNetworkInterfaces(tags));
    }

    @Override
    public List<NetworkInterface> describeAttached(String instanceId) {
        return call(DESCRIBE_NETWORK_INTERFACES, "of " + instanceId, wire -> wire.describeAttached(instanceId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfacesByIp(String vswitchId, List<String> ips) {
        Function<EcsApi, List<NetworkInterface>> call = wire -> wire.describeNetworkInterfacesByIp(vswitchId, ips);
        return call(DESCRIBE_NETWORK_INTERFACES, "by addresses", call);
    }

    @Override
    public AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        String target = eniId + " +" + count;
        return call(
                ASSIGN_PRIVATE_IP_ADDRESSES, target, wire -> wire.assignPrivateIpAddresses(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips) {
        String target = eniId + " -" + ips.size();
        return call(UNASSIGN_PRIVATE_IP_ADDRESSES, target, wire -> wire.unassignPrivateIpAddresses(eniId, ips));
    }

    @Override
    public AssignedAddresses assignIpv4Prefixes(String eniId, int count, String clientToken) {
        String target = eniId + " +" + count + " /28";
        return call(ASSIGN_PRIVATE_IP_ADDRESSES, target, wire -> wire.assignIpv4Prefixes(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignIpv4Prefixes(String eniId, List<String> prefixes) {
        String target = eniId + " -" + prefixes.size() + " /28";
        return call(UNASSIGN_PRIVATE_IP_ADDRESSES, target, wire -> wire.unassignIpv4Prefixes(eniId, prefixes));
    }

    @Override
    public AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken) {
        String target = eniId + " +" + count;
        return call(ASSIGN_IPV6_ADDRESSES, target, wire -> wire.assignIpv6Addresses(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignIpv6Addresses(String eniId, List<String> ips) {
        return call(UNASSIGN_IPV6_ADDRESSES, eniId + " -" + ips.size(), wire -> wire.unassignIpv6Addresses(eniId, ips));
    }

    @Override
    public InstanceTypeLimits describeInstanceType(String instanceType) {
        return call(DESCRIBE_INSTANCE_TYPES, instanceType, wire -> wire.describeInstanceType(instanceType));
    }

    @Override
    public List<String> describeSecurityGroups(String instanceId) {
        return call(DESCRIBE_INSTANCES, instanceId, wire -> wire.describeSecurityGroups(instanceId));
    }

    @Override
    public VSwitch describeVSwitch(String vswitchId) {
        return call(DESCRIBE_VSWITCHES, vswitchId, wire -> wire.describeVSwitch(vswitchId));
    }

    @Override
    public List<RouteEntry> describeRouteEntries(String tableId, Optional<String> destination) {
        return call(DESCRIBE_ROUTE_ENTRY_LIST, tableId, wire -> wire.describeRouteEntries(tableId, destination));
    }

    @Override
    public Acknowledgement createRouteEntry(RouteEntry entry, String clientToken) {
        return call(CREATE_ROUTE_ENTRY, entry.destination(), wire -> wire.createRouteEntry(entry, clientToken));
    }

    @Override
    public Acknowledgement deleteRouteEntry(RouteEntry entry) {
        return call(DELETE_ROUTE_ENTRY, entry.destination(), wire -> wire.deleteRouteEntry(entry));
    }

    /**
     * @param keys whose keys the wire signs with: asked for newer ones when the cloud does not know those any more
     * @param settings the call log uses their limits, this class their back-offs
     * @param events receives an event when an API is throttled, once a minute
     */
    public record CallContext(
            EcsTransport wire,
            CredentialsProvider keys,
            ApiCallLog book,
            CallConfig settings,
            EventSink events,
            TimeSource time,
            Sleeper pauses) {}

    /** How a call waits: for its turn, and before it is made again. */
    public interface Sleeper {
        /** The caller's thread sleeps. */
        Sleeper SLEEP = duration -> Thread.sleep(duration.toMillis(), duration.toNanosPart() % 1_000_000);

        void sleep(Duration duration) throws InterruptedException;
    }

    /** Where calls go over the wire: each call once, no longer than its caller has time. */
    @FunctionalInterface
    public interface EcsTransport {
        /** The APIs, for one attempt, which notes what the cloud called it. */
        EcsApi forAttempt(CallAttempt attempt);

        /** How far the cloud's clock is ahead, as in {@link EcsApi#clockAhead}. */
        default Optional<Duration> clockAhead() {
            return Optional.empty();
        }

        /** One attempt at a call. It lives on its caller's thread. */
        public static final class CallAttempt {
            private final Deadline deadline;
            /** The cloud's name of it, or empty text; of a call that takes several requests, the last one's. */
            String requestId = "";

            CallAttempt(Deadline deadline) {
                this.deadline = deadline;
            }

            Duration left() {
                return deadline.left();
            }
        }

        /** When a call has to be over, whatever it waits for. Thread-safe. */
        record Deadline(TimeSource time, long atNanos) {
            static Deadline in(Duration duration, TimeSource time) {
                return new Deadline(time, time.nanoTime() + duration.toNanos());
            }

            /** The time that is left, zero at least. */
            Duration left() {
                return Duration.ofNanos(Math.max(0, atNanos - time.nanoTime()));
            }

            /** Whether there is less left than this. */
            boolean nearerThan(Duration duration) {
                return left().compareTo(duration) <= 0;
            }
        }
    }

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
}
