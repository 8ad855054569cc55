package io.enipam.sdk;

/** What a method of an {@link RpcService} answers in place of a reply: a status of gRPC. */
public class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Code code;

    /**
     * The codes of gRPC that a method answers with. The host itself answers {@code PERMISSION_DENIED}, {@code CANCELLED},
     * {@code UNIMPLEMENTED} for methods that there are not, and {@code UNKNOWN} where the plugin fails.
     *
     * @see <a href="https://grpc.io/docs/guides/status-codes/">Status codes of gRPC</a>
     */
    public enum Code {
        /** The request is wrong whatever there is. */
        INVALID_ARGUMENT,
        DEADLINE_EXCEEDED,
        NOT_FOUND,
        ALREADY_EXISTS,
        /** Something is full, or the caller was too slow. */
        RESOURCE_EXHAUSTED,
        /** Not as things are: to try it again as it is does not help. */
        FAILED_PRECONDITION,
        /** Others were faster: begin anew with reading. */
        ABORTED,
        /** Before the beginning, or behind the end. */
        OUT_OF_RANGE,
        UNIMPLEMENTED,
        INTERNAL,
        /** Try the same again, after a pause. */
        UNAVAILABLE
    }

    /** @param message for a person, in one line; no secrets */
    public RpcException(Code code, String message) {
        super(message);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
