package io.enipam.aliyun.api;

import static io.enipam.sdk.ErrorKind.ADDRESSES_EXHAUSTED;
import static io.enipam.sdk.ErrorKind.CONFLICT;
import static io.enipam.sdk.ErrorKind.DEADLINE_EXCEEDED;
import static io.enipam.sdk.ErrorKind.MISCONFIGURED;
import static io.enipam.sdk.ErrorKind.NOT_FOUND;
import static io.enipam.sdk.ErrorKind.QUOTA_EXHAUSTED;
import static io.enipam.sdk.ErrorKind.THROTTLED;
import static io.enipam.sdk.ErrorKind.UNAUTHORIZED;
import static io.enipam.sdk.ErrorKind.UNAVAILABLE;

import io.enipam.sdk.ErrorKind;
import java.util.List;

/**
 * The one table of the cloud's codes: what each means to the engine and what the factory does about it. Source: the
 * error tables of the ECS API reference, version 2014-05-26.
 */
public final class ErrorReactions {
    /** What a code of the cloud means to the engine, and what the factory does about it. */
    public record Rule(String code, ErrorKind kind, ErrorReaction reaction) {}

    /** This client's own code: there are no credentials that could be used. */
    public static final String NO_CREDENTIALS = "Client.NoCredentials";
    /** This client's own code: where the credentials come from does not answer now. */
    public static final String CREDENTIALS_AWAY = "Client.CredentialsAway";
    /** This client's own code: the call was not made, since its API may not be called now. */
    public static final String HELD_BACK = "Throttling.Client";

    /** Every code with a reaction of its own. */
    public static final List<Rule> TABLE = List.of(
            new Rule("InvalidVSwitchId.IpNotEnough", ADDRESSES_EXHAUSTED, ErrorReaction.NEXT_VSWITCH),
            new Rule("QuotaExceeded.PrivateIpAddress", ADDRESSES_EXHAUSTED, ErrorReaction.NEXT_VSWITCH),
            new Rule("EniPerInstanceLimitExceeded", QUOTA_EXHAUSTED, ErrorReaction.INHIBIT_CREATES),
            new Rule("InvalidOperation.Ipv4CountExceeded", QUOTA_EXHAUSTED, ErrorReaction.RESYNC_ENI),
            new Rule("InvalidOperation.Ipv6CountExceeded", QUOTA_EXHAUSTED, ErrorReaction.RESYNC_ENI),
            new Rule("MaxEniCountExceeded", QUOTA_EXHAUSTED, ErrorReaction.GIVE_UP),
            new Rule("SecurityGroupInstanceLimitExceed", QUOTA_EXHAUSTED, ErrorReaction.GIVE_UP),
            new Rule("QuotaExceed.Tags", QUOTA_EXHAUSTED, ErrorReaction.GIVE_UP),
            new Rule("InvalidOperation.InvalidEniState", CONFLICT, ErrorReaction.WAIT_FOR_STATE),
            new Rule("InvalidOperation.InvalidEcsState", CONFLICT, ErrorReaction.WAIT_FOR_STATE),
            new Rule("Operation.Conflict", CONFLICT, ErrorReaction.BACK_OFF),
            new Rule("OperationConflict", CONFLICT, ErrorReaction.BACK_OFF),
            new Rule("InternalError", UNAVAILABLE, ErrorReaction.RETRY_SAME_TOKEN),
            new Rule("ServiceUnavailable", UNAVAILABLE, ErrorReaction.RETRY_SAME_TOKEN),
            new Rule("SDK.ReadTimeout", DEADLINE_EXCEEDED, ErrorReaction.RETRY_SAME_TOKEN),
            new Rule("SDK.ServerUnreachable", UNAVAILABLE, ErrorReaction.RETRY_SAME_TOKEN),
            new Rule("InvalidEniId.NotFound", NOT_FOUND, ErrorReaction.GONE),
            new Rule("InvalidEcsId.NotFound", NOT_FOUND, ErrorReaction.GONE),
            new Rule("InvalidIp.IpUnassigned", NOT_FOUND, ErrorReaction.ALREADY_DONE),
            new Rule("Forbidden.RAM", UNAUTHORIZED, ErrorReaction.STOP),
            new Rule("InvalidOperation.VpcMismatch", MISCONFIGURED, ErrorReaction.GIVE_UP),
            new Rule("InvalidOperation.AvailabilityZoneMismatch", MISCONFIGURED, ErrorReaction.GIVE_UP),
            new Rule("InvalidOperation.InvalidEniType", MISCONFIGURED, ErrorReaction.GIVE_UP),
            new Rule("InvalidOperation.EniServiceManaged", MISCONFIGURED, ErrorReaction.GIVE_UP),
            new Rule("InvalidOperation.DetachPrimaryEniNotAllowed", MISCONFIGURED, ErrorReaction.GIVE_UP),
            new Rule("InvalidVSwitchId.Ipv6NotTurnOn", MISCONFIGURED, ErrorReaction.GIVE_UP),
            new Rule("InvalidVSwitchId.NotFound", MISCONFIGURED, ErrorReaction.STOP),
            new Rule("InvalidSecurityGroupId.NotFound", MISCONFIGURED, ErrorReaction.STOP),
            new Rule("IdempotentParameterMismatch", CONFLICT, ErrorReaction.GIVE_UP),
            new Rule("InvalidPrivateIpAddress.Duplicated", CONFLICT, ErrorReaction.OTHER_ADDRESS),
            new Rule("InvalidIp.IpAssigned", CONFLICT, ErrorReaction.OTHER_ADDRESS),
            new Rule("InvalidIp.IpRepeated", CONFLICT, ErrorReaction.OTHER_ADDRESS),
            new Rule("InvalidVSwitchId.IpInvalid", CONFLICT, ErrorReaction.OTHER_ADDRESS),
            new Rule("RouterEntryConflict.Duplicated", CONFLICT, ErrorReaction.GIVE_UP),
            new Rule("InvalidCIDRBlock.Duplicate", CONFLICT, ErrorReaction.GIVE_UP),
            new Rule("TaskConflict", CONFLICT, ErrorReaction.BACK_OFF),
            new Rule("IncorrectRouteEntryStatus", CONFLICT, ErrorReaction.BACK_OFF),
            new Rule("QuotaExceeded", QUOTA_EXHAUSTED, ErrorReaction.GIVE_UP),
            new Rule("InvalidRouteEntry.NotFound", NOT_FOUND, ErrorReaction.ALREADY_DONE),
            new Rule("InvalidRouteTableId.NotFound", MISCONFIGURED, ErrorReaction.GIVE_UP),
            new Rule("InvalidAccessKeyId.NotFound", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule("InvalidAccessKeyId.Inactive", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule("InvalidSecurityToken.Expired", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule("InvalidSecurityToken.Malformed", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule("InvalidSecurityToken.MismatchWithAccessKey", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule("MissingSecurityToken", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule("SignatureDoesNotMatch", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule("SDK.InvalidAccessKeySecret", UNAUTHORIZED, ErrorReaction.NEWER_CREDENTIALS),
            new Rule(NO_CREDENTIALS, UNAUTHORIZED, ErrorReaction.STOP),
            new Rule(CREDENTIALS_AWAY, UNAVAILABLE, ErrorReaction.RETRY_SAME_TOKEN),
            new Rule("SignatureNonceUsed", UNAUTHORIZED, ErrorReaction.STOP),
            new Rule("InvalidTimeStamp.Expired", UNAUTHORIZED, ErrorReaction.STOP));

    private ErrorReactions() {}

    /**
     * The rule for a code. Throttling is matched by prefix, since the cloud adds suffixes as it likes; a code that is
     * not in the table is classified by its status.
     */
    public static Rule of(String code, int httpStatus) {
        return TABLE.stream()
                .filter(rule -> rule.code().equals(code))
                .findFirst()
                .orElseGet(() -> byPrefix(code, httpStatus));
    }

    private static Rule byPrefix(String code, int httpStatus) {
        if (code.startsWith("Throttling")) {
            return new Rule(code, THROTTLED, ErrorReaction.BACK_OFF);
        } else if (code.startsWith("Forbidden")) {
            return new Rule(code, UNAUTHORIZED, ErrorReaction.STOP);
        }
        boolean refused = httpStatus >= 400 && httpStatus < 500;
        return new Rule(code, UNAVAILABLE, refused ? ErrorReaction.GIVE_UP : ErrorReaction.RETRY_SAME_TOKEN);
    }

    /** What to do about a failure of the cloud. {@link ErrorReactions} says which code asks for which. */
    public enum ErrorReaction {
        /** The vSwitch has no address left: leave it alone for ten minutes and take the next one. */
        NEXT_VSWITCH,
        /** The instance has all the ENIs it may have: delete the one just made and make none for a minute. */
        INHIBIT_CREATES,
        /** Our count of the ENI's addresses is wrong: read the ENI again. */
        RESYNC_ENI,
        /** The object is on its way to another state: look, wait, ask again. */
        WAIT_FOR_STATE,
        /** Nothing was done: wait with jitter and ask again. */
        BACK_OFF,
        /** Whether it was done is unknown: ask again with the same client token, or look first where there is none. */
        RETRY_SAME_TOKEN,
        /** The credentials are no longer good: take newer ones, if there are any, and ask again once. */
        NEWER_CREDENTIALS,
        /** There is no such object: success when it was to go. */
        GONE,
        /** The address is not on the ENI: success when it was to go. */
        ALREADY_DONE,
        /** The address is taken or cannot be had: ask for another. */
        OTHER_ADDRESS,
        /** Asking again does not help until something is changed: fail and report. */
        GIVE_UP,
        /** Credentials, permissions or configuration are wrong: fail and report. */
        STOP
    }
}
