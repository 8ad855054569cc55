package io.enipam.aliyun.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.RecordedEvents;
import io.enipam.aliyun.ScriptedCloud;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CreateInterfaceRequest;
import io.enipam.aliyun.api.EcsApi.RouteEntry;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.StaticCredentialsProvider;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.ErrorKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a caller sees of each code of the cloud, from each API: the real SDK over HTTP, waits in virtual time. */
@Timeout(120)
class ErrorReactionsOverHttpTest {
    private enum Asked {
        ONCE,
        AGAIN,
        /** Again if that cannot do the same twice: else it is for the caller to look. */
        AGAIN_IF_SAFE
    }

    private record Expected(String code, int status, Asked asked, ErrorKind kind) {}

    private static final String EXPECTED = """
        InvalidVSwitchId.IpNotEnough 403 ONCE ADDRESSES_EXHAUSTED
        QuotaExceeded.PrivateIpAddress 400 ONCE ADDRESSES_EXHAUSTED
        EniPerInstanceLimitExceeded 403 ONCE QUOTA_EXHAUSTED
        InvalidOperation.Ipv4CountExceeded 403 ONCE QUOTA_EXHAUSTED
        InvalidOperation.Ipv6CountExceeded 403 ONCE QUOTA_EXHAUSTED
        InvalidVSwitchId.Ipv6NotTurnOn 403 ONCE MISCONFIGURED
        MaxEniCountExceeded 403 ONCE QUOTA_EXHAUSTED
        SecurityGroupInstanceLimitExceed 403 ONCE QUOTA_EXHAUSTED
        QuotaExceed.Tags 403 ONCE QUOTA_EXHAUSTED
        InvalidOperation.InvalidEniState 400 ONCE CONFLICT
        InvalidOperation.InvalidEcsState 400 ONCE CONFLICT
        Operation.Conflict 403 AGAIN CONFLICT
        OperationConflict 403 AGAIN CONFLICT
        InternalError 500 AGAIN_IF_SAFE UNAVAILABLE
        ServiceUnavailable 503 AGAIN_IF_SAFE UNAVAILABLE
        InvalidEniId.NotFound 404 ONCE NOT_FOUND
        InvalidEcsId.NotFound 404 ONCE NOT_FOUND
        InvalidIp.IpUnassigned 403 ONCE NOT_FOUND
        Forbidden.RAM 403 ONCE UNAUTHORIZED
        InvalidOperation.VpcMismatch 403 ONCE MISCONFIGURED
        InvalidOperation.AvailabilityZoneMismatch 403 ONCE MISCONFIGURED
        InvalidOperation.InvalidEniType 403 ONCE MISCONFIGURED
        InvalidOperation.EniServiceManaged 403 ONCE MISCONFIGURED
        InvalidOperation.DetachPrimaryEniNotAllowed 400 ONCE MISCONFIGURED
        InvalidVSwitchId.NotFound 404 ONCE MISCONFIGURED
        InvalidSecurityGroupId.NotFound 404 ONCE MISCONFIGURED
        IdempotentParameterMismatch 400 ONCE CONFLICT
        InvalidPrivateIpAddress.Duplicated 400 ONCE CONFLICT
        InvalidIp.IpAssigned 403 ONCE CONFLICT
        InvalidIp.IpRepeated 400 ONCE CONFLICT
        InvalidVSwitchId.IpInvalid 400 ONCE CONFLICT
        RouterEntryConflict.Duplicated 400 ONCE CONFLICT
        InvalidCIDRBlock.Duplicate 400 ONCE CONFLICT
        TaskConflict 409 AGAIN CONFLICT
        IncorrectRouteEntryStatus 400 AGAIN CONFLICT
        QuotaExceeded 400 ONCE QUOTA_EXHAUSTED
        InvalidRouteEntry.NotFound 404 ONCE NOT_FOUND
        InvalidRouteTableId.NotFound 404 ONCE MISCONFIGURED
        InvalidAccessKeyId.NotFound 404 ONCE UNAUTHORIZED
        InvalidAccessKeyId.Inactive 400 ONCE UNAUTHORIZED
        InvalidSecurityToken.Expired 400 ONCE UNAUTHORIZED
        InvalidSecurityToken.Malformed 400 ONCE UNAUTHORIZED
        InvalidSecurityToken.MismatchWithAccessKey 400 ONCE UNAUTHORIZED
        MissingSecurityToken 400 ONCE UNAUTHORIZED
        SignatureDoesNotMatch 400 ONCE UNAUTHORIZED
        SignatureNonceUsed 400 ONCE UNAUTHORIZED
        InvalidTimeStamp.Expired 400 ONCE UNAUTHORIZED
        Throttling 400 AGAIN THROTTLED
        Throttling.User 400 AGAIN THROTTLED
        Throttling.Api 400 AGAIN THROTTLED
        NeverHeardOf.Refusal 403 ONCE UNAVAILABLE
        NeverHeardOf.Outage 502 AGAIN_IF_SAFE UNAVAILABLE
        """;

    /** Those that no server can send: the client makes them itself. Tests of their own have them. */
    private static final Set<String> OWN = Set.of(
            "SDK.ReadTimeout",
            "SDK.ServerUnreachable",
            "SDK.InvalidAccessKeySecret",
            ErrorReactions.NO_CREDENTIALS,
            ErrorReactions.CREDENTIALS_AWAY);

    private static final Set<CloudApi> WITHOUT_TOKEN = EnumSet.of(
            CloudApi.ATTACH_NETWORK_INTERFACE,
            CloudApi.DETACH_NETWORK_INTERFACE,
            CloudApi.DELETE_NETWORK_INTERFACE,
            CloudApi.UNASSIGN_PRIVATE_IP_ADDRESSES,
            CloudApi.UNASSIGN_IPV6_ADDRESSES,
            CloudApi.DELETE_ROUTE_ENTRY);

    private static final Map<CloudApi, Consumer<EcsApi>> CALLS = calls();

    private static Map<CloudApi, Consumer<EcsApi>> calls() {
        Map<CloudApi, Consumer<EcsApi>> calls = new EnumMap<>(CloudApi.class);
        CreateInterfaceRequest wish = new CreateInterfaceRequest("vsw-1", List.of("sg-1"), Map.of(), "token-1", 0);
        calls.put(CloudApi.CREATE_NETWORK_INTERFACE, api -> api.createNetworkInterface(wish));
        calls.put(CloudApi.ATTACH_NETWORK_INTERFACE, api -> api.attachNetworkInterface("eni-1", "i-1"));
        calls.put(CloudApi.DETACH_NETWORK_INTERFACE, api -> api.detachNetworkInterface("eni-1", "i-1"));
        calls.put(CloudApi.DELETE_NETWORK_INTERFACE, api -> api.deleteNetworkInterface("eni-1"));
        calls.put(CloudApi.ASSIGN_PRIVATE_IP_ADDRESSES, api -> api.assignPrivateIpAddresses("eni-1", 1, "token-1"));
        calls.put(
                CloudApi.UNASSIGN_PRIVATE_IP_ADDRESSES,
                api -> api.unassignPrivateIpAddresses("eni-1", List.of("10.0.0.2")));
        calls.put(CloudApi.ASSIGN_IPV6_ADDRESSES, api -> api.assignIpv6Addresses("eni-1", 1, "token-1"));
        calls.put(CloudApi.UNASSIGN_IPV6_ADDRESSES, api -> api.unassignIpv6Addresses("eni-1", List.of("2001:db8::2")));
        calls.put(CloudApi.DESCRIBE_NETWORK_INTERFACES, api -> api.describeNetworkInterface("eni-1"));
        calls.put(CloudApi.DESCRIBE_INSTANCE_TYPES, api -> api.describeInstanceType("ecs.g7.large"));
        calls.put(CloudApi.DESCRIBE_INSTANCES, api -> api.describeSecurityGroups("i-1"));
        calls.put(CloudApi.DESCRIBE_VSWITCHES, api -> api.describeVSwitch("vsw-1"));
        RouteEntry route = new RouteEntry("vtb-1", "10.9.0.0/24", "Instance", "i-1", "");
        calls.put(CloudApi.DESCRIBE_ROUTE_ENTRY_LIST, api -> api.describeRouteEntries("vtb-1", Optional.empty()));
        calls.put(CloudApi.CREATE_ROUTE_ENTRY, api -> api.createRouteEntry(route, "token-1"));
        calls.put(CloudApi.DELETE_ROUTE_ENTRY, api -> api.deleteRouteEntry(route));
        return calls;
    }

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private final RecordedEvents events = new RecordedEvents();
    private final ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of());

    @AutoClose
    private ScriptedCloud cloud;

    private RetryingEcsApi client;

    @BeforeEach
    void start() throws IOException {
        cloud = new ScriptedCloud();
        StaticCredentialsProvider keys =
                new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "the-secret"));
        client = new RetryingEcsApi(new CallContext(
                SdkEcsApi.transport(keys, "cn-hangzhou", Optional.of(cloud.endpoint())),
                keys,
                book,
                CallConfig.USUAL,
                events,
                time,
                time::advance));
        // a throttled call finds the end of the minute within its deadline
        time.advance(Duration.ofSeconds(50));
    }

    private static Stream<Expected> expected() {
        return EXPECTED.lines()
                .map(line -> line.split(" "))
                .map(cells -> new Expected(
                        cells[0], Integer.parseInt(cells[1]), Asked.valueOf(cells[2]), ErrorKind.valueOf(cells[3])));
    }

    static Stream<Arguments> everyCodeOfEveryApi() {
        return Arrays.stream(CloudApi.values()).flatMap(api -> expected().map(expected -> Arguments.of(api, expected)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource
    void everyCodeOfEveryApi(CloudApi api, Expected expected) {
        cloud.fail(expected.status(), expected.code());
        boolean again = switch (expected.asked()) {
            case ONCE -> false;
            case AGAIN -> true;
            case AGAIN_IF_SAFE -> !WITHOUT_TOKEN.contains(api);
        };

        if (again) {
            CALLS.get(api).accept(client);

            assertThat(cloud.calls()).hasSize(2);
            assertThat(differing(cloud.calls().get(0), cloud.calls().get(1)))
                    .as("the same request, token included, but for what must be fresh")
                    .contains("SignatureNonce", "Signature")
                    .isSubsetOf("SignatureNonce", "Signature", "Timestamp");
            assertThat(last().failed()).isFalse();
            assertThat(last().attempts()).isEqualTo(2);
            assertThat(last().requestId()).isEqualTo("req-1");
        } else {
            assertThatThrownBy(() -> CALLS.get(api).accept(client))
                    .isInstanceOfSatisfying(EcsException.class, failure -> {
                        assertThat(failure.kind()).isEqualTo(expected.kind());
                        assertThat(failure.retryAfter()).isPositive();
                        assertThat(failure.outcomeUnknown()).isEqualTo(expected.status() >= 500);
                    })
                    .hasMessageStartingWith(api.wireName() + " failed: ")
                    .hasMessageContaining(expected.code().equals("SignatureDoesNotMatch") ? "" : expected.code())
                    .hasMessageContaining("(request req-f)")
                    .message()
                    .doesNotContain("\n", "the-secret");
            assertThat(cloud.calls()).hasSize(1);
            assertThat(last().failed()).isTrue();
            assertThat(last().requestId()).isEqualTo("req-f");
        }
        assertThat(book.quotaStatus())
                .filteredOn(budget -> budget.api().equals(api.wireName()))
                .singleElement()
                .satisfies(budget -> {
                    assertThat(budget.calls()).isEqualTo(cloud.calls().size());
                    assertThat(budget.errors()).hasSize(1);
                    assertThat(budget.throttles()).isEqualTo(expected.kind() == ErrorKind.THROTTLED ? 1 : 0);
                });
    }

    private CloudCall last() {
        return book.calls().get(0);
    }

    private static Set<String> differing(Map<String, String> one, Map<String, String> other) {
        assertThat(one.keySet()).isEqualTo(other.keySet());
        return one.keySet().stream()
                .filter(key -> !one.get(key).equals(other.get(key)))
                .collect(Collectors.toSet());
    }

    @Test
    void noCodeOfTheTableIsWithoutATest() {
        Set<String> tested = expected().map(Expected::code).collect(Collectors.toSet());
        tested.addAll(OWN);

        assertThat(ErrorReactions.TABLE).extracting(ErrorReactions.Rule::code).isSubsetOf(tested);
        assertThat(CALLS).containsOnlyKeys(CloudApi.values());
    }

    @ParameterizedTest
    @EnumSource(CloudApi.class)
    void aConnectionThatBreaksIsAskedAgainOnlyWhereThatIsSafe(CloudApi api) {
        cloud.hangUp();

        if (WITHOUT_TOKEN.contains(api)) {
            assertThatThrownBy(() -> CALLS.get(api).accept(client))
                    .isInstanceOfSatisfying(
                            EcsException.class,
                            failure -> assertThat(failure.outcomeUnknown()).isTrue());
            assertThat(cloud.calls()).hasSize(1);
        } else {
            CALLS.get(api).accept(client);
            assertThat(cloud.calls()).hasSize(2);
        }
    }

    @Test
    void clientTokensGoWithCreateAndAssign() {
        CALLS.get(CloudApi.CREATE_NETWORK_INTERFACE).accept(client);
        CALLS.get(CloudApi.ASSIGN_PRIVATE_IP_ADDRESSES).accept(client);

        assertThat(cloud.calls()).extracting(call -> call.get("ClientToken")).containsExactly("token-1", "token-1");
    }

    @Test
    void anOutageIsAskedSixTimesAndThenTold() {
        for (int i = 0; i < 10; i++) {
            cloud.fail(503, "ServiceUnavailable");
        }

        assertThatThrownBy(() -> CALLS.get(CloudApi.DESCRIBE_VSWITCHES).accept(client))
                .hasMessageContaining("ServiceUnavailable");

        assertThat(cloud.calls()).hasSize(6);
        assertThat(last().attempts()).isEqualTo(6);
        assertThat(last().took()).isBetween(Duration.ofSeconds(4), RetryingEcsApi.BUDGET);
    }

    @Test
    void aBackOffThatWouldOutlastTheCallIsNotBegun() {
        CallConfig.Retries patient =
                new CallConfig.Retries(Backoff.doubling(Duration.ofSeconds(15), Duration.ofMinutes(5)), 0, 6);
        StaticCredentialsProvider keys =
                new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "the-secret"));
        RetryingEcsApi slow = new RetryingEcsApi(new CallContext(
                SdkEcsApi.transport(keys, "cn-hangzhou", Optional.of(cloud.endpoint())),
                keys,
                book,
                new CallConfig(Map.of(), Map.of("", patient)),
                events,
                time,
                time::advance));
        for (int i = 0; i < 10; i++) {
            cloud.fail(503, "ServiceUnavailable");
        }

        assertThatThrownBy(() -> CALLS.get(CloudApi.DESCRIBE_VSWITCHES).accept(slow))
                .hasMessageContaining("ServiceUnavailable");

        assertThat(cloud.calls()).hasSize(2);
        assertThat(last().took()).isEqualTo(Duration.ofSeconds(15));
    }

    @ParameterizedTest
    @EnumSource(CloudApi.class)
    void aWrongSecretSaysWhereToLookAndShowsNoSecret(CloudApi api) {
        cloud.fail(400, "SignatureDoesNotMatch");

        assertThatThrownBy(() -> CALLS.get(api).accept(client))
                .hasMessageContaining("the access key secret is wrong")
                .hasMessageContaining("check access_key and access_secret in eni.json")
                .message()
                .doesNotContain("the-secret");
    }
}
