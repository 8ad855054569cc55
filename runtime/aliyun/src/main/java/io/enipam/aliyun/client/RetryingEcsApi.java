package io.enipam.aliyun.client;

import static io.enipam.aliyun.api.CloudApi.ASSIGN_IPV6_ADDRESSES;
import static io.enipam.aliyun.api.CloudApi.ASSIGN_PRIVATE_IP_ADDRESSES;
import static io.enipam.aliyun.api.CloudApi.ATTACH_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.CREATE_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.DELETE_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_INSTANCES;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_INSTANCE_TYPES;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_NETWORK_INTERFACES;
import static io.enipam.aliyun.api.CloudApi.DESCRIBE_VSWITCHES;
import static io.enipam.aliyun.api.CloudApi.DETACH_NETWORK_INTERFACE;
import static io.enipam.aliyun.api.CloudApi.UNASSIGN_IPV6_ADDRESSES;
import static io.enipam.aliyun.api.CloudApi.UNASSIGN_PRIVATE_IP_ADDRESSES;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.credentials.CredentialsProvider;
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
 * The cloud with patience: every call waits for its turn, is made again as far as that is safe, is over within {@link #BUDGET}, and is in
 * the {@link ApiCallLog}. Thread-safe; blocks its caller for the budget at most. {@link RetryingCall} says which calls are repeated.
 */
public final class RetryingEcsApi implements EcsApi {
    /** How long one call may take, its retries and its waits for the rate limit included. */
    public static final Duration BUDGET = Duration.ofSeconds(20);

    private final CallContext around;
    private final List<String> waiting;

    public RetryingEcsApi(CallContext around) {
        this(around, List.of());
    }

    /** @param waiting tokens of requests and ids of resources that wait for the calls */
    private RetryingEcsApi(CallContext around, List<String> waiting) {
        this.around = around;
        this.waiting = waiting;
    }

    @Override
    public EcsApi onBehalfOf(List<String> whom) {
        return new RetryingEcsApi(around, whom);
    }

    /** @param target what the call is about, for operators */
    private <T> T call(CloudApi api, String target, Function<EcsApi, T> call) {
        Trace trace = around.book().traces().begin(Trace.Operation.CLOUD, TraceSink.Subject.named(target, waiting));
        trace.with("api", api.wireName());
        return new RetryingCall<>(around, api, target, call, trace).execute();
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
        return call(
                DESCRIBE_NETWORK_INTERFACES,
                "by addresses",
                wire -> wire.describeNetworkInterfacesByIp(vswitchId, ips));
    }

    @Override
    public AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        return call(
                ASSIGN_PRIVATE_IP_ADDRESSES,
                eniId + " +" + count,
                wire -> wire.assignPrivateIpAddresses(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips) {
        return call(
                UNASSIGN_PRIVATE_IP_ADDRESSES,
                eniId + " -" + ips.size(),
                wire -> wire.unassignPrivateIpAddresses(eniId, ips));
    }

    @Override
    public AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken) {
        return call(
                ASSIGN_IPV6_ADDRESSES,
                eniId + " +" + count,
                wire -> wire.assignIpv6Addresses(eniId, count, clientToken));
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

    /**
     * What every call needs.
     *
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

        /** Returns when the time has passed. */
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

        /** One attempt at a call: how long it may take, and what the cloud called it. It lives on its caller's thread. */
        public static final class CallAttempt {
            private final Deadline deadline;
            private String requestId = "";

            CallAttempt(Deadline deadline) {
                this.deadline = deadline;
            }

            /** The time that is left for it. */
            Duration left() {
                return deadline.left();
            }

            /** The cloud has answered; of a call that takes several requests, the last one's name stays. */
            void answered(String id) {
                requestId = id;
            }

            /** The cloud's name of it, or empty text. */
            String requestId() {
                return requestId;
            }
        }

        /** When a call has to be over, whatever it waits for. Thread-safe. */
        static final class Deadline {
            private final TimeSource time;
            private final long atNanos;

            private Deadline(TimeSource time, long atNanos) {
                this.time = time;
                this.atNanos = atNanos;
            }

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
}
