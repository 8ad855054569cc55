package io.enipam.emulator.api;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The errors the cloud answers with: code, HTTP status and message, from the error tables of the API documents of ECS
 * (2014-05-26), VPC (2016-04-28) and the RPC gateway. {@code %s} in a message is filled in.
 */
public enum ApiError {
    // the gateway
    MISSING_ACTION(400, "MissingAction", "Action is mandatory for this action."),
    ACTION_NOT_FOUND(404, "InvalidAction.NotFound", "Specified api is not found, please check your url and method."),
    MISSING_VERSION(400, "MissingVersion", "Version is mandatory for this action."),
    INVALID_VERSION(400, "InvalidVersion", "Specified parameter Version is not valid."),
    UNSUPPORTED_METHOD(405, "UnsupportedHTTPMethod", "This http method is not supported."),
    MISSING_ACCESS_KEY(400, "MissingAccessKeyId", "AccessKeyId is mandatory for this action."),
    ACCESS_KEY_NOT_FOUND(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found."),
    MISSING_SECURITY_TOKEN(400, "MissingSecurityToken", "SecurityToken is mandatory for this action."),
    INVALID_SECURITY_TOKEN(400, "InvalidSecurityToken.Malformed", "Specified SecurityToken is malformed."),
    EXPIRED_SECURITY_TOKEN(400, "InvalidSecurityToken.Expired", "Specified SecurityToken is expired."),
    FOREIGN_SECURITY_TOKEN(
            400, "InvalidSecurityToken.MismatchWithAccessKey", "Specified SecurityToken mismatch with the AccessKey."),
    MISSING_TIMESTAMP(400, "MissingTimestamp", "Timestamp is mandatory for this action."),
    MALFORMED_TIMESTAMP(400, "InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted."),
    EXPIRED_TIMESTAMP(400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired."),
    MISSING_NONCE(400, "MissingSignatureNonce", "SignatureNonce is mandatory for this action."),
    USED_NONCE(400, "SignatureNonceUsed", "Specified signature nonce was used already."),
    MISSING_SIGNATURE(400, "MissingSignature", "Signature is mandatory for this action."),
    INCOMPLETE_SIGNATURE(400, "IncompleteSignature", "The request signature does not conform to Aliyun standards: %s"),
    SIGNATURE_MISMATCH(
            400,
            "SignatureDoesNotMatch",
            "Specified signature is not matched with our calculation. server string to sign is:%s"),
    HEADER_SIGNATURE_MISMATCH(
            400,
            "SignatureDoesNotMatch",
            "Specified signature is not matched with our calculation. server canonical request is:[%s],"
                    + " server string to sign is:%s"),
    REPEATED_PARAMETER(400, "InvalidParameter.Repeated", "The parameter \"%s\" is given twice with different values."),
    HEADER_TOO_LONG(
            431, "RequestHeaderTooLarge", "The request headers are more than 200 or longer than %s characters."),
    URI_TOO_LONG(414, "RequestUriTooLarge", "The request URI is longer than %s characters."),
    BODY_TOO_LONG(413, "RequestBodyTooLarge", "The request body is longer than %s bytes."),
    MALFORMED_REQUEST(400, "InvalidParameter", "The request cannot be decoded: %s"),
    INTERNAL_ERROR(
            500, "InternalError", "The request processing has failed due to some unknown error, exception or failure."),
    // errors that the emulator itself has no occasion for, beside flow control; fault rules name them
    THROTTLING_USER(400, "Throttling.User", "Request was denied due to user flow control."),
    THROTTLING(400, "Throttling", "Request was denied due to request throttling."),
    THROTTLING_API(400, "Throttling.Api", "Request was denied due to api flow control."),
    SERVICE_UNAVAILABLE(503, "ServiceUnavailable", "The request has failed due to a temporary failure of the server."),
    FORBIDDEN_RAM(403, "Forbidden.RAM", "User not authorized to operate on the specified resource."),
    OPERATION_CONFLICT(403, "Operation.Conflict", "The operation conflicts with another one under way."),
    OPERATION_CONFLICT_OLD(403, "OperationConflict", "The operation conflicts with another one under way."),
    INVALID_ECS_STATE(
            400,
            "InvalidOperation.InvalidEcsState",
            "The operation is not allowed in the current state of the instance."),
    VPC_MISMATCH(403, "InvalidOperation.VpcMismatch", "The ENI and the instance are in two VPCs."),
    ENI_SERVICE_MANAGED(403, "InvalidOperation.EniServiceManaged", "The ENI is managed by a service."),
    // parameters of any action
    MISSING_PARAMETER(
            400,
            "MissingParameter",
            "The input parameter \"%s\" that is mandatory for processing this request is not supplied."),
    INVALID_PARAMETER(400, "InvalidParameter", "The specified parameter \"%s\" is not valid."),
    CONFLICTING_PARAMETERS(400, "InvalidParameter.Conflict", "The specified parameters \"%s\" and \"%s\" conflict."),
    UNSUPPORTED_PARAMETER(400, "UnsupportedParameter", "The parameter \"%s\" is not supported."),
    INVALID_CLIENT_TOKEN(400, "InvalidClientToken", "The specified ClientToken must have 1 to 64 ASCII characters."),
    IDEMPOTENT_MISMATCH(
            400,
            "IdempotentParameterMismatch",
            "The specified ClientToken was used by a request with other parameters."),
    REGION_NOT_FOUND(404, "InvalidRegionId.NotFound", "The specified RegionId does not exist."),
    MALFORMED_INSTANCE_IDS(
            400, "InvalidInstanceIds.Malformed", "The specified InstanceIds is not a JSON array of at most 100 ids."),
    // the ENI actions
    VSWITCH_NOT_FOUND(404, "InvalidVSwitchId.NotFound", "The specified VSwitchId %s does not exist."),
    SECURITY_GROUP_NOT_FOUND(
            404, "InvalidSecurityGroupId.NotFound", "The specified SecurityGroupId %s does not exist."),
    ENI_NOT_FOUND(404, "InvalidEniId.NotFound", "The specified NetworkInterfaceId %s does not exist."),
    INSTANCE_NOT_FOUND(404, "InvalidEcsId.NotFound", "The specified InstanceId %s does not exist."),
    INSTANCE_ID_NOT_FOUND(404, "InvalidInstanceId.NotFound", "The specified InstanceId %s does not exist."),
    IP_NOT_ENOUGH(403, "InvalidVSwitchId.IpNotEnough", "The specified VSwitch \"%s\" has not enough IpAddress."),
    IP_INVALID(400, "InvalidVSwitchId.IpInvalid", "The specified Private Ip \"%s\" is not valid in the VSwitch."),
    IPV6_NOT_ON(403, "InvalidVSwitchId.Ipv6NotTurnOn", "The specified VSwitch %s has not turned on IPv6."),
    IP_ASSIGNED(403, "InvalidIp.IpAssigned", "The specified Ip \"%s\" is already assigned."),
    IP_REPEATED(400, "InvalidIp.IpRepeated", "The specified Ip \"%s\" is repeated."),
    IP_UNASSIGNED(403, "InvalidIp.IpUnassigned", "The specified Ip \"%s\" is not assigned to the ENI."),
    IPV4_COUNT_EXCEEDED(
            403,
            "InvalidOperation.Ipv4CountExceeded",
            "The maximum count of IPv4 addresses of an ENI of this instance type is exceeded."),
    IPV6_COUNT_EXCEEDED(
            403,
            "InvalidOperation.Ipv6CountExceeded",
            "The maximum count of IPv6 addresses of an ENI of this instance type is exceeded."),
    PRIVATE_IP_QUOTA(
            400, "QuotaExceeded.PrivateIpAddress", "The quota of %s private IP addresses of the VPC is exceeded."),
    ENI_QUOTA(403, "MaxEniCountExceeded", "The quota of %s ENIs of the account in this region is exceeded."),
    GROUP_MEMBER_QUOTA(
            403,
            "SecurityGroupInstanceLimitExceed",
            "The maximum number of %s members of the security group %s is exceeded."),
    GROUP_COUNT_EXCEEDED(
            403, "SecurityGroupLimitExceeded", "An ENI can be in at most %s security groups, but %s are given."),
    ZONE_MISMATCH(
            403,
            "InvalidOperation.AvailabilityZoneMismatch",
            "The ENI is in the zone %s and the instance in the zone %s."),
    ENI_LIMIT_EXCEEDED(
            403,
            "EniPerInstanceLimitExceeded",
            "The maximum number of ENIs that can be attached to this instance type is exceeded."),
    INVALID_ENI_STATE(
            400,
            "InvalidOperation.InvalidEniState",
            "The operation is not allowed in the current state of the ENI: %s."),
    DETACH_PRIMARY(
            403, "InvalidOperation.DetachPrimaryEniNotAllowed", "The primary ENI of an instance cannot be detached."),
    INVALID_ENI_TYPE(403, "InvalidOperation.InvalidEniType", "The type of the ENI does not allow this: %s."),
    INVALID_RESOURCE_TYPE(404, "InvalidResourceType.NotFound", "The ResourceType %s is not found."),
    RESOURCE_NOT_FOUND(404, "InvalidResourceId.NotFound", "The specified ResourceId %s is not found."),
    // route entries
    ROUTE_TABLE_NOT_FOUND(404, "InvalidRouteTableId.NotFound", "The specified RouteTableId %s does not exist."),
    ROUTE_NOT_FOUND(404, "InvalidRouteEntry.NotFound", "The specified route entry %s does not exist."),
    ROUTE_DUPLICATED(400, "RouterEntryConflict.Duplicated", "A route entry for %s exists already."),
    ROUTE_DESTINATION(400, "InvalidCidrBlock", "The specified DestinationCidrBlock %s is not allowed: %s."),
    ROUTE_QUOTA(400, "QuotaExceeded", "The quota of %s custom route entries of a route table is exceeded."),
    TASK_CONFLICT(409, "TaskConflict", "The operation conflicts with another one of this VPC under way."),
    ROUTE_STATUS(400, "IncorrectRouteEntryStatus", "The status of the route entry does not allow this."),
    TOO_MANY_RESOURCES(400, "NumberExceed.ResourceIds", "At most %s ResourceIds can be given."),
    TOO_MANY_TAGS(400, "NumberExceed.Tags", "At most %s Tags can be given."),
    TAG_QUOTA(403, "QuotaExceed.Tags", "The quota of 20 tags of a resource is exceeded."),
    TAG_KEY_MALFORMED(400, "InvalidTagKey.Malformed", "The specified Tag.%s.Key is not valid."),
    TAG_KEY_DUPLICATED(400, "Duplicate.TagKey", "The Tag.N.Key %s is given twice.");

    private static final Map<String, ApiError> BY_CODE = Arrays.stream(values())
            .collect(Collectors.toMap(ApiError::code, error -> error, (first, later) -> later, TreeMap::new));

    private final int httpStatus;
    private final String code;
    private final String message;

    ApiError(int httpStatus, String code, String message) {
        this.httpStatus = httpStatus;
        this.code = code;
        this.message = message;
    }

    public int httpStatus() {
        return httpStatus;
    }

    public String code() {
        return code;
    }

    public ApiException with(Object... blanks) {
        return new ApiException(this, String.format(Locale.ROOT, message, blanks));
    }

    /** The message for a fault rule that names the code alone; each blank reads {@code ?}. */
    public String sampleMessage() {
        return message.replace("%s", "?");
    }

    /** The error of that code. Where two share it, the later one counts. */
    public static Optional<ApiError> find(String code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }

    public static List<String> codes() {
        return List.copyOf(BY_CODE.keySet());
    }

    /** A refusal of a call. It carries no stack trace: it is an ordinary outcome. */
    public static final class ApiException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final ApiError error;

        private ApiException(ApiError error, String message) {
            super(message, null, false, false);
            this.error = error;
        }

        public ApiError error() {
            return error;
        }
    }
}
