package io.enipam.aliyun.client;

import static io.enipam.aliyun.client.SdkResponseMapper.number;
import static io.enipam.aliyun.client.SdkResponseMapper.text;

import com.aliyuncs.AcsRequest;
import com.aliyuncs.AcsResponse;
import com.aliyuncs.RpcAcsRequest;
import com.aliyuncs.auth.AlibabaCloudCredentials;
import com.aliyuncs.auth.BasicCredentials;
import com.aliyuncs.auth.BasicSessionCredentials;
import com.aliyuncs.ecs.model.v20140526.AssignIpv6AddressesRequest;
import com.aliyuncs.ecs.model.v20140526.AssignPrivateIpAddressesRequest;
import com.aliyuncs.ecs.model.v20140526.AttachNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.CreateNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.DeleteNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeInstanceTypesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeInstancesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesRequest;
import com.aliyuncs.ecs.model.v20140526.DetachNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.UnassignIpv6AddressesRequest;
import com.aliyuncs.ecs.model.v20140526.UnassignPrivateIpAddressesRequest;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.exceptions.ServerException;
import com.aliyuncs.http.HttpClientConfig;
import com.aliyuncs.http.HttpClientType;
import com.aliyuncs.http.ProtocolType;
import com.aliyuncs.profile.DefaultProfile;
import com.aliyuncs.vpc.model.v20160428.CreateRouteEntryRequest;
import com.aliyuncs.vpc.model.v20160428.DeleteRouteEntryRequest;
import com.aliyuncs.vpc.model.v20160428.DescribeRouteEntryListRequest;
import com.aliyuncs.vpc.model.v20160428.DescribeVSwitchesRequest;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.EcsException.UrlRedactor;
import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport.CallAttempt;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.sdk.Family;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The port on Alibaba's SDK: one call of the wire for each call of a method, no retry. Thread-safe.
 *
 * <p>What the SDK makes one mind: endpoint and timeouts go with each request; it sends even loopback calls to {@code HTTP_PROXY}; its
 * JSON reader fills the heap on a body that ends inside a string ({@link SdkHttpClient}).
 */
public final class SdkEcsApi implements EcsApi {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int READ_MILLIS = 10_000;
    private static final int PAGE = 100;
    private static final String LOOPBACK = "127.0.0.1,localhost,::1,[::1]";

    private final SdkTransport wire;
    private final CallAttempt attempt;

    /**
     * @param keys asked before each call
     * @param endpoint ECS and VPC; empty for the region's own
     */
    public static EcsTransport transport(CredentialsProvider keys, String region, Optional<URI> endpoint) {
        DefaultProfile profile = DefaultProfile.getProfile(region);
        HttpClientConfig http = HttpClientConfig.getDefault();
        http.setConnectionTimeoutMillis(CONNECT_MILLIS);
        http.setReadTimeoutMillis(READ_MILLIS);
        http.setNoProxy(noProxy(System.getenv()));
        http.setClientType(HttpClientType.Custom);
        http.setCustomClientClassName(SdkHttpClient.class.getName());
        profile.setHttpClientConfig(http);
        StreamingAcsClient client = new StreamingAcsClient(profile, () -> signedWith(keys));
        return new SdkTransport(
                client::getAcsResponse, region, endpoint, ((SdkHttpClient) client.getHttpClient())::clockAhead);
    }

    /**
     * The same to a cloud of this process.
     *
     * @param client serves each request on the caller's thread, for as long as the call takes
     */
    public static EcsTransport transport(String region, SdkClient client) {
        return new SdkTransport(client, region, Optional.of(URI.create("http://in-process")), Optional::empty);
    }

    /** Sends a request of the SDK and reads the answer. */
    public interface SdkClient {
        /** Throws a ServerException, or another ClientException, with the code that the cloud refuses with. */
        <T extends AcsResponse> T getAcsResponse(AcsRequest<T> request) throws ClientException;
    }

    private record SdkTransport(
            SdkClient client, String region, Optional<URI> endpoint, Supplier<Optional<Duration>> clock)
            implements EcsTransport {
        @Override
        public EcsApi forAttempt(CallAttempt attempt) {
            return new SdkEcsApi(this, attempt);
        }

        @Override
        public Optional<Duration> clockAhead() {
            return clock.get();
        }
    }

    private SdkEcsApi(SdkTransport wire, CallAttempt attempt) {
        this.wire = wire;
        this.attempt = attempt;
    }

    private static AlibabaCloudCredentials signedWith(CredentialsProvider source) throws ClientException {
        try {
            CloudCredentials keys = source.current();
            String id = keys.accessKeyId();
            String secret = keys.accessKeySecret();
            Optional<String> token = keys.securityToken();
            return token.isEmpty()
                    ? new BasicCredentials(id, secret)
                    : new BasicSessionCredentials(id, secret, token.get());
        } catch (CredentialsException e) {
            String code = e.transientFailure() ? ErrorReactions.CREDENTIALS_AWAY : ErrorReactions.NO_CREDENTIALS;
            throw new ClientException(code, e.getMessage());
        }
    }

    /** The hosts the SDK shall not proxy: the user's, and loopback, which no proxy can reach. */
    static String noProxy(Map<String, String> environment) {
        String users = environment.getOrDefault("NO_PROXY", environment.getOrDefault("no_proxy", ""));
        return users.isBlank() ? LOOPBACK : users + "," + LOOPBACK;
    }

    @Override
    public NetworkInterface createNetworkInterface(CreateInterfaceRequest wish) {
        var request = new CreateNetworkInterfaceRequest();
        request.setVSwitchId(wish.vswitchId());
        request.setSecurityGroupIdss(wish.securityGroups());
        request.setClientToken(wish.clientToken());
        request.setInstanceType(wish.trunk() ? "Trunk" : "Secondary");
        request.setDeleteOnRelease(true);
        if (wish.ipv6Count() > 0) {
            request.setIpv6AddressCount(wish.ipv6Count());
        }
        request.setTags(tags(wish.tags(), (key, value) -> {
            var tag = new CreateNetworkInterfaceRequest.Tag();
            tag.setKey(key);
            tag.setValue(value);
            return tag;
        }));
        NetworkInterface made = SdkResponseMapper.created(call(request, it -> it.getRequestId()));
        if (made.id().isEmpty()) {
            // there may be one all the same
            throw failure(request, "SDK.BadAnswer", 0, made.requestId(), "the answer does not say which ENI was made");
        }
        return made;
    }

    @Override
    public Acknowledgement attachNetworkInterface(String eniId, String instanceId) {
        var request = new AttachNetworkInterfaceRequest();
        request.setNetworkInterfaceId(eniId);
        request.setInstanceId(instanceId);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public Acknowledgement attachMember(String eniId, String instanceId, String trunkId) {
        var request = new AttachNetworkInterfaceRequest();
        request.setNetworkInterfaceId(eniId);
        request.setInstanceId(instanceId);
        request.setTrunkNetworkInstanceId(trunkId);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public Acknowledgement detachNetworkInterface(String eniId, String instanceId) {
        var request = new DetachNetworkInterfaceRequest();
        request.setNetworkInterfaceId(eniId);
        request.setInstanceId(instanceId);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public Acknowledgement deleteNetworkInterface(String eniId) {
        var request = new DeleteNetworkInterfaceRequest();
        request.setNetworkInterfaceId(eniId);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public List<NetworkInterface> describeNetworkInterface(String eniId) {
        var request = new DescribeNetworkInterfacesRequest();
        request.setNetworkInterfaceIds(List.of(eniId));
        return pages(request);
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        var request = new DescribeNetworkInterfacesRequest();
        request.setTags(tags(tags, (key, value) -> {
            var tag = new DescribeNetworkInterfacesRequest.Tag();
            tag.setKey(key);
            tag.setValue(value);
            return tag;
        }));
        return pages(request);
    }

    @Override
    public List<NetworkInterface> describeAttached(String instanceId) {
        var request = new DescribeNetworkInterfacesRequest();
        request.setInstanceId(instanceId);
        return pages(request);
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfacesByIp(String vswitchId, List<String> ips) {
        var request = new DescribeNetworkInterfacesRequest();
        request.setVSwitchId(vswitchId);
        request.setPrivateIpAddresss(ips);
        return pages(request);
    }

    private static <T> List<T> tags(Map<String, String> tags, BiFunction<String, String, T> tag) {
        return tags.entrySet().stream()
                .map(entry -> tag.apply(entry.getKey(), entry.getValue()))
                .toList();
    }

    private List<NetworkInterface> pages(DescribeNetworkInterfacesRequest request) {
        request.setMaxResults(PAGE);
        List<NetworkInterface> all = new ArrayList<>();
        String next = "";
        do {
            if (!next.isEmpty()) {
                request.setNextToken(next);
            }
            var page = call(request, it -> it.getRequestId());
            page.getNetworkInterfaceSets()
                    .forEach(eni -> all.add(SdkResponseMapper.described(eni, page.getRequestId())));
            next = following(request, next, page.getNextToken(), page.getRequestId());
        } while (!next.isEmpty());
        return all;
    }

    /** The token of the next page, empty text after the last one. */
    private static String following(
            RpcAcsRequest<?> request, String last, @Nullable String token, @Nullable String requestId) {
        String following = text(token);
        if (following.equals(last) && !last.isEmpty()) {
            throw failure(request, "SDK.SamePage", 0, text(requestId), "the next page is the same page again");
        }
        return following;
    }

    @Override
    public AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        var request = new AssignPrivateIpAddressesRequest();
        request.setNetworkInterfaceId(eniId);
        request.setSecondaryPrivateIpAddressCount(count);
        request.setClientToken(clientToken);
        var answer = call(request, it -> it.getRequestId());
        var set = answer.getAssignedPrivateIpAddressesSet();
        List<String> ips = SdkResponseMapper.canonical(set == null ? null : set.getPrivateIpSet(), Family.IPV4);
        return new AssignedAddresses(ips, text(answer.getRequestId()));
    }

    @Override
    public AssignedAddresses assignIpv4Prefixes(String eniId, int count, String clientToken) {
        var request = new AssignPrivateIpAddressesRequest();
        request.setNetworkInterfaceId(eniId);
        request.setIpv4PrefixCount(count);
        request.setClientToken(clientToken);
        var answer = call(request, it -> it.getRequestId());
        var set = answer.getAssignedPrivateIpAddressesSet();
        List<String> prefixes = set == null || set.getIpv4PrefixSet() == null ? List.of() : set.getIpv4PrefixSet();
        return new AssignedAddresses(prefixes, text(answer.getRequestId()));
    }

    @Override
    public Acknowledgement unassignIpv4Prefixes(String eniId, List<String> prefixes) {
        var request = new UnassignPrivateIpAddressesRequest();
        request.setNetworkInterfaceId(eniId);
        request.setIpv4Prefixs(prefixes);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken) {
        var request = new AssignIpv6AddressesRequest();
        request.setNetworkInterfaceId(eniId);
        request.setIpv6AddressCount(count);
        request.setClientToken(clientToken);
        var answer = call(request, it -> it.getRequestId());
        return new AssignedAddresses(
                SdkResponseMapper.canonical(answer.getIpv6Sets(), Family.IPV6), text(answer.getRequestId()));
    }

    @Override
    public Acknowledgement unassignIpv6Addresses(String eniId, List<String> ips) {
        var request = new UnassignIpv6AddressesRequest();
        request.setNetworkInterfaceId(eniId);
        request.setIpv6Addresss(ips);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips) {
        var request = new UnassignPrivateIpAddressesRequest();
        request.setNetworkInterfaceId(eniId);
        request.setPrivateIpAddresss(ips);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public InstanceTypeLimits describeInstanceType(String instanceType) {
        var request = new DescribeInstanceTypesRequest();
        request.setInstanceTypess(List.of(instanceType));
        var answer = call(request, it -> it.getRequestId());
        return answer.getInstanceTypes().stream()
                .filter(type -> instanceType.equals(type.getInstanceTypeId()))
                .findFirst()
                .map(type -> new InstanceTypeLimits(
                        number(type.getEniQuantity()),
                        number(type.getEniPrivateIpAddressQuantity()),
                        number(type.getEniIpv6AddressQuantity()),
                        Boolean.TRUE.equals(type.getEniTrunkSupported())
                                ? Math.max(0, number(type.getEniTotalQuantity()) - number(type.getEniQuantity()))
                                : 0))
                .orElseThrow(() -> missing(
                        request, "InvalidInstanceType", answer.getRequestId(), "instance type " + instanceType));
    }

    @Override
    public List<String> describeSecurityGroups(String instanceId) {
        var request = new DescribeInstancesRequest();
        request.setInstanceIds("[\"" + instanceId + "\"]");
        var answer = call(request, it -> it.getRequestId());
        return answer.getInstances().stream()
                .filter(instance -> instanceId.equals(instance.getInstanceId()))
                .findFirst()
                .map(instance -> instance.getSecurityGroupIds())
                .orElseThrow(() -> missing(
                        request,
                        "InvalidInstanceId",
                        answer.getRequestId(),
                        "instance " + instanceId + " in region " + wire.region));
    }

    @Override
    public VSwitch describeVSwitch(String vswitchId) {
        var request = new DescribeVSwitchesRequest();
        request.setVSwitchId(vswitchId);
        var answer = call(request, it -> it.getRequestId());
        return answer.getVSwitches().stream()
                .filter(vswitch -> vswitchId.equals(vswitch.getVSwitchId()))
                .findFirst()
                .map(vswitch -> new VSwitch(
                        vswitchId,
                        text(vswitch.getZoneId()),
                        text(vswitch.getCidrBlock()),
                        text(vswitch.getIpv6CidrBlock()),
                        number(vswitch.getAvailableIpAddressCount())))
                .orElseThrow(() -> missing(
                        request,
                        "InvalidVSwitchId",
                        answer.getRequestId(),
                        "vSwitch " + vswitchId + " in region " + wire.region));
    }

    @Override
    public List<RouteEntry> describeRouteEntries(String tableId, Optional<String> destination) {
        var request = new DescribeRouteEntryListRequest();
        request.setRouteTableId(tableId);
        destination.ifPresent(request::setDestinationCidrBlock);
        request.setRouteEntryType("Custom");
        request.setMaxResult(PAGE);
        List<RouteEntry> all = new ArrayList<>();
        String next = "";
        do {
            if (!next.isEmpty()) {
                request.setNextToken(next);
            }
            var page = call(request, it -> it.getRequestId());
            page.getRouteEntrys().forEach(entry -> all.add(SdkResponseMapper.route(entry)));
            next = following(request, next, page.getNextToken(), page.getRequestId());
        } while (!next.isEmpty());
        return all;
    }

    @Override
    public Acknowledgement createRouteEntry(RouteEntry entry, String clientToken) {
        var request = new CreateRouteEntryRequest();
        request.setRouteTableId(entry.tableId());
        request.setDestinationCidrBlock(entry.destination());
        request.setNextHopType(entry.hopType());
        request.setNextHopId(entry.hopId());
        request.setClientToken(clientToken);
        return acknowledged(request, it -> it.getRequestId());
    }

    @Override
    public Acknowledgement deleteRouteEntry(RouteEntry entry) {
        var request = new DeleteRouteEntryRequest();
        request.setRouteTableId(entry.tableId());
        request.setDestinationCidrBlock(entry.destination());
        request.setNextHopId(entry.hopId());
        return acknowledged(request, it -> it.getRequestId());
    }

    private static EcsException missing(RpcAcsRequest<?> request, String code, String requestId, String what) {
        return failure(request, code + ".NotFound", 404, requestId, "there is no " + what);
    }

    private <T extends AcsResponse> Acknowledgement acknowledged(
            RpcAcsRequest<T> request, Function<T, @Nullable String> requestId) {
        return new Acknowledgement(text(requestId.apply(call(request, requestId))));
    }

    private <T extends AcsResponse> T call(RpcAcsRequest<T> request, Function<T, @Nullable String> requestId) {
        request.setSysRegionId(wire.region);
        int left = (int) Math.min(READ_MILLIS, attempt.left().toMillis());
        if (left < 1) {
            throw failure(request, "SDK.ReadTimeout", 0, "", "there is no time left for this call");
        }
        request.setSysConnectTimeout(Math.min(CONNECT_MILLIS, left));
        request.setSysReadTimeout(left);
        boolean plain = wire.endpoint.map(URI::getScheme).orElse("https").equals("http");
        request.setSysProtocol(plain ? ProtocolType.HTTP : ProtocolType.HTTPS);
        wire.endpoint.ifPresent(uri -> request.setSysEndpoint(uri.getRawAuthority()));
        try {
            T answer = wire.client.getAcsResponse(request);
            attempt.requestId = text(requestId.apply(answer));
            return answer;
        } catch (ServerException e) {
            throw failure(request, text(e.getErrCode()), 500, text(e.getRequestId()), e.getErrMsg());
        } catch (ClientException e) {
            throw refused(request, e);
        } catch (OutOfMemoryError e) {
            // Torn answers are stopped before the SDK reads them; should another kind slip through, it ends here.
            throw failure(request, "SDK.TornAnswer", 0, "", "the answer ends in the middle");
        } catch (RuntimeException e) {
            String kind = e.getClass().getSimpleName();
            throw failure(request, "SDK.BadAnswer", 0, "", "the answer cannot be read: " + kind);
        }
    }

    private static EcsException refused(RpcAcsRequest<?> request, ClientException e) {
        String code = text(e.getErrCode());
        if (code.equals(ErrorReactions.NO_CREDENTIALS) || code.equals(ErrorReactions.CREDENTIALS_AWAY)) {
            return failure(request, code, 400, "", e.getErrMsg());
        }
        if (code.equals("SDK.InvalidAccessKeySecret") || code.equals("SignatureDoesNotMatch")) {
            // The original text carries the whole signed string: of no use to an operator, and it names the key.
            return failure(request, code, 400, text(e.getRequestId()), "the access key secret is wrong");
        }
        if (code.equals("SDK.ServerUnreachable")) {
            // The original text carries the whole signed URL.
            String where = UrlRedactor.host(text(e.getErrMsg()), "its endpoint");
            return failure(request, code, 0, text(e.getRequestId()), "ECS does not answer at " + where);
        }
        int status = code.startsWith("SDK.") || code.isEmpty() ? 0 : 400;
        return failure(request, code.isEmpty() ? "SDK.Unknown" : code, status, text(e.getRequestId()), e.getErrMsg());
    }

    private static EcsException failure(
            RpcAcsRequest<?> request, String code, int status, String requestId, String message) {
        return new EcsException(
                request.getSysActionName(), code, status, requestId, SdkResponseMapper.oneLine(message));
    }
}
