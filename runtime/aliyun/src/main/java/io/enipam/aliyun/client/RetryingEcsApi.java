package io.enipam.aliyun.client;

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
 * The cloud with patience: every call waits for its turn, is made again as far as that is safe, is over within {@link
 * #BUDGET}, and is in the {@link ApiCallLog}. Thread-safe; blocks its caller for the budget at most.
 *
 * <p>{@link RetryingCall} says who may be asked twice.
 */
public final class RetryingEcsApi implements EcsApi {
    /** How long one call may take, its retries and its waits for the rate limit included. */
    public static final Duration BUDGET = Duration.ofSeconds(20);

    private final RetryingCall.CallContext around;
    /** Who waits for the calls. */
    private final List<String> waiting;

    /** One that tells nobody when an API is throttled. */
    public RetryingEcsApi(
            EcsTransport wire,
            CredentialsProvider keys,
            ApiCallLog book,
            CallConfig settings,
            TimeSource time,
            Sleeper pauses) {
        this(wire, keys, book, settings, (severity, type, subject, message, attributes) -> {}, time, pauses);
    }

    /**
     * @param keys whose keys the wire signs with: asked for newer ones when the cloud does not know those any more
     * @param settings their limits are the book's; their back-offs are this one's
     * @param events told when an API is throttled, once a minute
     */
    public RetryingEcsApi(
            EcsTransport wire,
            CredentialsProvider keys,
            ApiCallLog book,
            CallConfig settings,
            EventSink events,
            TimeSource time,
            Sleeper pauses) {
        this.around = new RetryingCall.CallContext(wire, keys, book, new RetryPolicies(settings), events, time, pauses);
        this.waiting = List.of();
    }

    private RetryingEcsApi(RetryingCall.CallContext around, List<String> waiting) {
        this.around = around;
        this.waiting = waiting;
    }

    @Override
    public EcsApi onBehalfOf(List<String> whom) {
        return new RetryingEcsApi(around, whom);
    }

    private <T> T patiently(CloudApi api, String target, Function<EcsApi, T> call) {
        Trace trace = around.book().traces().begin(Trace.Operation.CLOUD, TraceSink.Subject.named(target, waiting));
        trace.with("api", api.wireName());
        return new RetryingCall<>(around, api, target, call, trace).execute();
    }

    @Override
    public NetworkInterface createNetworkInterface(CreateInterfaceRequest wish) {
        return patiently(
                CloudApi.CREATE_NETWORK_INTERFACE, wish.vswitchId(), wire -> wire.createNetworkInterface(wish));
    }

    @Override
    public Acknowledgement attachNetworkInterface(String eniId, String instanceId) {
        return patiently(
                CloudApi.ATTACH_NETWORK_INTERFACE, eniId, wire -> wire.attachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Acknowledgement detachNetworkInterface(String eniId, String instanceId) {
        return patiently(
                CloudApi.DETACH_NETWORK_INTERFACE, eniId, wire -> wire.detachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Acknowledgement deleteNetworkInterface(String eniId) {
        return patiently(CloudApi.DELETE_NETWORK_INTERFACE, eniId, wire -> wire.deleteNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterface(String eniId) {
        return patiently(CloudApi.DESCRIBE_NETWORK_INTERFACES, eniId, wire -> wire.describeNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        return patiently(CloudApi.DESCRIBE_NETWORK_INTERFACES, "by tags", wire -> wire.describeNetworkInterfaces(tags));
    }

    @Override
    public List<NetworkInterface> describeAttached(String instanceId) {
        return patiently(
                CloudApi.DESCRIBE_NETWORK_INTERFACES, "of " + instanceId, wire -> wire.describeAttached(instanceId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfacesByIp(String vswitchId, List<String> ips) {
        return patiently(
                CloudApi.DESCRIBE_NETWORK_INTERFACES,
                "by addresses",
                wire -> wire.describeNetworkInterfacesByIp(vswitchId, ips));
    }

    @Override
    public AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        return patiently(
                CloudApi.ASSIGN_PRIVATE_IP_ADDRESSES,
                eniId + " +" + count,
                wire -> wire.assignPrivateIpAddresses(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips) {
        return patiently(
                CloudApi.UNASSIGN_PRIVATE_IP_ADDRESSES,
                eniId + " -" + ips.size(),
                wire -> wire.unassignPrivateIpAddresses(eniId, ips));
    }

    @Override
    public AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken) {
        return patiently(
                CloudApi.ASSIGN_IPV6_ADDRESSES,
                eniId + " +" + count,
                wire -> wire.assignIpv6Addresses(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignIpv6Addresses(String eniId, List<String> ips) {
        return patiently(
                CloudApi.UNASSIGN_IPV6_ADDRESSES,
                eniId + " -" + ips.size(),
                wire -> wire.unassignIpv6Addresses(eniId, ips));
    }

    @Override
    public Optional<Duration> clockAhead() {
        return around.wire().clockAhead();
    }

    @Override
    public InstanceTypeLimits describeInstanceType(String instanceType) {
        return patiently(
                CloudApi.DESCRIBE_INSTANCE_TYPES, instanceType, wire -> wire.describeInstanceType(instanceType));
    }

    @Override
    public List<String> describeSecurityGroups(String instanceId) {
        return patiently(CloudApi.DESCRIBE_INSTANCES, instanceId, wire -> wire.describeSecurityGroups(instanceId));
    }

    @Override
    public VSwitch describeVSwitch(String vswitchId) {
        return patiently(CloudApi.DESCRIBE_VSWITCHES, vswitchId, wire -> wire.describeVSwitch(vswitchId));
    }

    /** How a call waits: for its turn, and before it is made again. */
    public interface Sleeper {
        /** The caller's thread sleeps. */
        Sleeper SLEEP = duration -> Thread.sleep(duration.toMillis(), duration.toNanosPart() % 1_000_000);

        /** Returns when the time has passed. */
        void sleep(Duration duration) throws InterruptedException;
    }
}
