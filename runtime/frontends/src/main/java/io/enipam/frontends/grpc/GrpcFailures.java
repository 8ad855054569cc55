package io.enipam.frontends.grpc;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.PodRef;
import io.enipam.v1.ErrorDetail;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures on the wire: a status, and the engine's code, message and hint in a trailer. */
public final class GrpcFailures {
    public static final Metadata.Key<ErrorDetail> DETAIL =
            Metadata.Key.of("enipam-error-bin", ProtoUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

    private static final Logger LOG = LoggerFactory.getLogger(GrpcFailures.class);

    private GrpcFailures() {}

    /** Translates the failure of a call. A failure that is not the engine's own is a bug: logged here, once, in full. */
    public static StatusRuntimeException of(Throwable failure) {
        Throwable cause = Stages.cause(failure);
        if (cause instanceof StatusRuntimeException status) {
            return status;
        }
        if (cause instanceof IpamException refusal) {
            return of(refusal);
        }
        LOG.error("a call failed unexpectedly; this is a bug of enipam", cause);
        return of(new IpamException(
                ErrorCode.INTERNAL, "internal error: " + cause, "the daemon's log has the details", cause));
    }

    /** The same for clients that read no trailers: the status contains the hint, too. */
    public static StatusRuntimeException plainStatus(Throwable failure) {
        StatusRuntimeException translated = of(failure);
        Metadata trailers = trailersOf(translated);
        ErrorDetail detail = trailers.get(DETAIL);
        if (detail == null || detail.getHint().isEmpty()) {
            return translated;
        }
        return translated
                .getStatus()
                .withDescription(detail.getMessage() + "; " + detail.getHint())
                .asRuntimeException(trailers);
    }

    public static StatusRuntimeException of(IpamException refusal) {
        ErrorDetail detail = ErrorDetail.newBuilder()
                .setCode(refusal.code().name())
                .setCniCode(refusal.code().cniCode())
                .setMessage(String.valueOf(refusal.getMessage()))
                .setHint(refusal.hint())
                .build();
        Metadata trailers = new Metadata();
        trailers.put(DETAIL, detail);
        return status(refusal.code()).withDescription(refusal.getMessage()).asRuntimeException(trailers);
    }

    /** The trailers of a translated failure. */
    public static Metadata trailersOf(StatusRuntimeException failure) {
        Metadata trailers = failure.getTrailers();
        return trailers == null ? new Metadata() : trailers;
    }

    public static IpamException invalid(String message, String hint) {
        return new IpamException(ErrorCode.INVALID_ARGUMENT, message, hint);
    }

    public static IpamException invalid(IllegalArgumentException refusal) {
        return new IpamException(ErrorCode.INVALID_ARGUMENT, String.valueOf(refusal.getMessage()), "", refusal);
    }

    public static PodRef pod(String text) {
        return checked(() -> PodRef.parse(text));
    }

    /** Builds a value from what came off the wire: what its constructor refuses is the caller's mistake. */
    public static <T> T checked(Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw invalid(e);
        }
    }

    private static Status status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> Status.INVALID_ARGUMENT;
            case NOT_FOUND -> Status.NOT_FOUND;
            case POOL_EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
            case POD_GONE, PLUGIN_FAILED, NOT_AGREED, REFUSED -> Status.FAILED_PRECONDITION;
            case CLOUD_FAILED, TRY_AGAIN -> Status.UNAVAILABLE;
            case DEADLINE_EXCEEDED -> Status.DEADLINE_EXCEEDED;
            case PERMISSION_DENIED -> Status.PERMISSION_DENIED;
            case DATAPATH_FAILED, STORE_FAILED, INTERNAL -> Status.INTERNAL;
        };
    }
}
