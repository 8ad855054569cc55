package io.enipam.emulator.fault;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.fault.Effect.Fail;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The codes a rule may name without saying more: those the emulator itself answers with, and those of the error tables of
 * ECS (2014-05-26) and of the RPC gateway that it has no occasion for.
 */
public final class KnownErrors {
    /** Of the flow control of an account. */
    public static final Fail THROTTLING_USER =
            new Fail(400, "Throttling.User", "Request was denied due to user flow control.", false);

    private static final Map<String, Fail> BY_CODE = new TreeMap<>();

    static {
        for (Fail fail : List.of(
                THROTTLING_USER,
                new Fail(400, "Throttling", "Request was denied due to request throttling.", false),
                new Fail(400, "Throttling.Api", "Request was denied due to api flow control.", false),
                new Fail(
                        503,
                        "ServiceUnavailable",
                        "The request has failed due to a temporary failure of the server.",
                        false),
                new Fail(403, "Forbidden.RAM", "User not authorized to operate on the specified resource.", false),
                new Fail(403, "Operation.Conflict", "The operation conflicts with another one under way.", false),
                new Fail(403, "OperationConflict", "The operation conflicts with another one under way.", false),
                new Fail(403, "MaxEniCountExceeded", "The maximum number of ENIs of the account is exceeded.", false),
                new Fail(
                        403,
                        "SecurityGroupInstanceLimitExceed",
                        "The maximum number of members of the security group is exceeded.",
                        false),
                new Fail(
                        400,
                        "QuotaExceeded.PrivateIpAddress",
                        "The quota of private IP addresses of the VSwitch is exceeded.",
                        false),
                new Fail(
                        400,
                        "InvalidOperation.InvalidEcsState",
                        "The operation is not allowed in the current state of the instance.",
                        false),
                new Fail(
                        403,
                        "InvalidOperation.Ipv6CountExceeded",
                        "The maximum count of IPv6 addresses of an ENI is exceeded.",
                        false),
                new Fail(403, "InvalidOperation.VpcMismatch", "The ENI and the instance are in two VPCs.", false),
                new Fail(
                        403,
                        "InvalidOperation.AvailabilityZoneMismatch",
                        "The ENI and the instance are in two zones.",
                        false),
                new Fail(403, "InvalidOperation.EniServiceManaged", "The ENI is managed by a service.", false))) {
            BY_CODE.put(fail.code(), fail);
        }
        Arrays.stream(ApiError.values()).map(KnownErrors::of).forEach(fail -> BY_CODE.put(fail.code(), fail));
    }

    private KnownErrors() {}

    /** All codes, sorted. */
    public static List<String> codes() {
        return List.copyOf(BY_CODE.keySet());
    }

    /** The error of that code. */
    public static Optional<Fail> find(String code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }

    /** The error of that code, before or after the work. */
    static Fail fail(String code, boolean afterWork) {
        Fail known = find(code)
                .orElseThrow(() -> new IllegalArgumentException(
                        "the error code " + code + " is not known: say its HTTP status and message too"));
        return new Fail(known.httpStatus(), known.code(), known.message(), afterWork);
    }

    private static Fail of(ApiError error) {
        // two blanks are the most that any message has
        String message = new ApiException(error, "?", "?").getMessage();
        return new Fail(error.httpStatus(), error.code(), String.valueOf(message), false);
    }
}
