package io.enipam.aliyun.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.sdk.ErrorKind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorReactionsTest {
    private static final String EXPECTED = """
        InvalidVSwitchId.IpNotEnough, ADDRESSES_EXHAUSTED, NEXT_VSWITCH
        QuotaExceeded.PrivateIpAddress, ADDRESSES_EXHAUSTED, NEXT_VSWITCH
        EniPerInstanceLimitExceeded, QUOTA_EXHAUSTED, INHIBIT_CREATES
        InvalidOperation.Ipv4CountExceeded, QUOTA_EXHAUSTED, RESYNC_ENI
        InvalidOperation.Ipv6CountExceeded, QUOTA_EXHAUSTED, RESYNC_ENI
        InvalidVSwitchId.Ipv6NotTurnOn, MISCONFIGURED, GIVE_UP
        MaxEniCountExceeded, QUOTA_EXHAUSTED, GIVE_UP
        SecurityGroupInstanceLimitExceed, QUOTA_EXHAUSTED, GIVE_UP
        QuotaExceed.Tags, QUOTA_EXHAUSTED, GIVE_UP
        InvalidOperation.InvalidEniState, CONFLICT, WAIT_FOR_STATE
        InvalidOperation.InvalidEcsState, CONFLICT, WAIT_FOR_STATE
        Operation.Conflict, CONFLICT, BACK_OFF
        OperationConflict, CONFLICT, BACK_OFF
        InternalError, UNAVAILABLE, RETRY_SAME_TOKEN
        ServiceUnavailable, UNAVAILABLE, RETRY_SAME_TOKEN
        SDK.ReadTimeout, DEADLINE_EXCEEDED, RETRY_SAME_TOKEN
        SDK.ServerUnreachable, UNAVAILABLE, RETRY_SAME_TOKEN
        InvalidEniId.NotFound, NOT_FOUND, GONE
        InvalidEcsId.NotFound, NOT_FOUND, GONE
        InvalidIp.IpUnassigned, NOT_FOUND, ALREADY_DONE
        Forbidden.RAM, UNAUTHORIZED, STOP
        InvalidOperation.VpcMismatch, MISCONFIGURED, GIVE_UP
        InvalidOperation.AvailabilityZoneMismatch, MISCONFIGURED, GIVE_UP
        InvalidOperation.InvalidEniType, MISCONFIGURED, GIVE_UP
        InvalidOperation.EniServiceManaged, MISCONFIGURED, GIVE_UP
        InvalidOperation.DetachPrimaryEniNotAllowed, MISCONFIGURED, GIVE_UP
        InvalidVSwitchId.NotFound, MISCONFIGURED, STOP
        InvalidSecurityGroupId.NotFound, MISCONFIGURED, STOP
        IdempotentParameterMismatch, CONFLICT, GIVE_UP
        InvalidPrivateIpAddress.Duplicated, CONFLICT, OTHER_ADDRESS
        InvalidIp.IpAssigned, CONFLICT, OTHER_ADDRESS
        InvalidIp.IpRepeated, CONFLICT, OTHER_ADDRESS
        InvalidVSwitchId.IpInvalid, CONFLICT, OTHER_ADDRESS
        RouterEntryConflict.Duplicated, CONFLICT, GIVE_UP
        InvalidCIDRBlock.Duplicate, CONFLICT, GIVE_UP
        TaskConflict, CONFLICT, BACK_OFF
        IncorrectRouteEntryStatus, CONFLICT, BACK_OFF
        QuotaExceeded, QUOTA_EXHAUSTED, GIVE_UP
        InvalidRouteEntry.NotFound, NOT_FOUND, ALREADY_DONE
        InvalidRouteTableId.NotFound, MISCONFIGURED, GIVE_UP
        InvalidAccessKeyId.NotFound, UNAUTHORIZED, NEWER_CREDENTIALS
        InvalidAccessKeyId.Inactive, UNAUTHORIZED, NEWER_CREDENTIALS
        InvalidSecurityToken.Expired, UNAUTHORIZED, NEWER_CREDENTIALS
        InvalidSecurityToken.Malformed, UNAUTHORIZED, NEWER_CREDENTIALS
        InvalidSecurityToken.MismatchWithAccessKey, UNAUTHORIZED, NEWER_CREDENTIALS
        MissingSecurityToken, UNAUTHORIZED, NEWER_CREDENTIALS
        SignatureDoesNotMatch, UNAUTHORIZED, NEWER_CREDENTIALS
        SDK.InvalidAccessKeySecret, UNAUTHORIZED, NEWER_CREDENTIALS
        Client.NoCredentials, UNAUTHORIZED, STOP
        Client.CredentialsAway, UNAVAILABLE, RETRY_SAME_TOKEN
        SignatureNonceUsed, UNAUTHORIZED, STOP
        InvalidTimeStamp.Expired, UNAUTHORIZED, STOP
        """;

    @ParameterizedTest
    @CsvSource(textBlock = EXPECTED)
    void everyCodeHasItsReaction(String code, ErrorKind kind, ErrorReaction reaction) {
        ErrorReactions.Rule rule = ErrorReactions.of(code, 400);

        assertThat(rule.kind()).isEqualTo(kind);
        assertThat(rule.reaction()).isEqualTo(reaction);
    }

    @ParameterizedTest
    @CsvSource({
        "Throttling, 400, THROTTLED, BACK_OFF",
        "Throttling.User, 400, THROTTLED, BACK_OFF",
        "Throttling.Api.Whatever, 400, THROTTLED, BACK_OFF",
        "Throttling.Client, 400, THROTTLED, BACK_OFF",
        "Forbidden.Something, 403, UNAUTHORIZED, STOP",
        "NeverHeardOf, 403, UNAVAILABLE, GIVE_UP",
        "NeverHeardOf, 502, UNAVAILABLE, RETRY_SAME_TOKEN",
        "SDK.TornAnswer, 0, UNAVAILABLE, RETRY_SAME_TOKEN"
    })
    void codesOutsideTheTableAreJudgedByPrefixAndStatus(
            String code, int status, ErrorKind kind, ErrorReaction reaction) {
        ErrorReactions.Rule rule = ErrorReactions.of(code, status);

        assertThat(rule.kind()).isEqualTo(kind);
        assertThat(rule.reaction()).isEqualTo(reaction);
    }

    @Test
    void noRuleIsWithoutATest() {
        Set<String> tested = Arrays.stream(EXPECTED.split("\n"))
                .map(line -> line.split(",")[0].strip())
                .collect(Collectors.toCollection(HashSet::new));

        assertThat(ErrorReactions.TABLE)
                .extracting(ErrorReactions.Rule::code)
                .containsExactlyInAnyOrderElementsOf(tested);
    }
}
