package io.enipam.frontends.rpc;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.v1.ErrorDetail;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a failed call says on the wire: a status, and the engine's own code, message and hint in a trailer. */
public final class GrpcFailures {
    /** The trailer with the detail. */
    static final Metadata.Key<ErrorDetail> DETAIL =
            Metadata.Key.of("enipam-error-bin", ProtoUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

    private static final Logger LOG = LoggerFactory.getLogger(GrpcFailures.class);

    private GrpcFailures() {}

    /** Translates whatever a call failed with. What is not the engine's own word is a bug: logged here, once, in full. */
    static StatusRuntimeException of(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof StatusRuntimeException status) {
            return status;
        }
        if (cause instanceof IpamException refusal) {
            return of(refusal);
        }
        LOG.error("a call failed in a way nobody foresaw; this is a bug of enipam", cause);
        return of(new IpamException(
                ErrorCode.INTERNAL, "internal error: " + cause, "the daemon's log has the details", cause));
    }

    /** The same for clients that read no trailers: what to do is in the status, too. */
    public static StatusRuntimeException plainStatus(Throwable failure) {
        StatusRuntimeException told = of(failure);
        Metadata trailers = trailersOf(told);
        ErrorDetail detail = trailers.get(DETAIL);
        if (detail == null || detail.getHint().isEmpty()) {
            return told;
        }
        return told.getStatus()
                .withDescription(detail.getMessage() + "; " + detail.getHint())
                .asRuntimeException(trailers);
    }

    static StatusRuntimeException of(IpamException refusal) {
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
    static Metadata trailersOf(StatusRuntimeException failure) {
        Metadata trailers = failure.getTrailers();
        return trailers == null ? new Metadata() : trailers;
    }

    /** What a caller got wrong. */
    static IpamException invalid(String message, String hint) {
        return new IpamException(ErrorCode.INVALID_ARGUMENT, message, hint);
    }

    static IpamException invalid(IllegalArgumentException refusal) {
        return new IpamException(ErrorCode.INVALID_ARGUMENT, String.valueOf(refusal.getMessage()), "", refusal);
    }

    private static Status status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> Status.INVALID_ARGUMENT;
            case NOT_FOUND -> Status.NOT_FOUND;
            case POOL_EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
            case POD_GONE, PLUGIN_FAILED, NOT_AGREED -> Status.FAILED_PRECONDITION;
            case CLOUD_FAILED, TRY_AGAIN -> Status.UNAVAILABLE;
            case DEADLINE_EXCEEDED -> Status.DEADLINE_EXCEEDED;
            case PERMISSION_DENIED -> Status.PERMISSION_DENIED;
            case DATAPATH_FAILED, STORE_FAILED, INTERNAL -> Status.INTERNAL;
        };
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
