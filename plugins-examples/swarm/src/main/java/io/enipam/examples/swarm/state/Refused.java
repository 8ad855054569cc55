package io.enipam.examples.swarm.state;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;

/** What a user asked for is not done, in the words of swarmkit's control API. */
public final class Refused extends FactoryException {
    private static final long serialVersionUID = 1L;

    private final Code code;

    /** As gRPC has them. */
    public enum Code {
        INVALID_ARGUMENT(ErrorKind.MISCONFIGURED),
        UNIMPLEMENTED(ErrorKind.MISCONFIGURED),
        NOT_FOUND(ErrorKind.NOT_FOUND),
        ALREADY_EXISTS(ErrorKind.CONFLICT),
        FAILED_PRECONDITION(ErrorKind.CONFLICT),
        /** Events that are not kept any more. */
        OUT_OF_RANGE(ErrorKind.QUOTA_EXHAUSTED),
        /** The object has changed since the caller read it. */
        SEQUENCE_CONFLICT(ErrorKind.CONFLICT);

        private final ErrorKind kind;

        Code(ErrorKind kind) {
            this.kind = kind;
        }
    }

    public Refused(Code code, String why) {
        super(code.kind, why);
        this.code = code;
    }

    public static Refused invalid(String why) {
        return new Refused(Code.INVALID_ARGUMENT, why);
    }

    public Code code() {
        return code;
    }
}
