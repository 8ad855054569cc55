package io.enipam.examples.swarm.errors;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;

/**
 * Something that was asked for is not done, and nothing is changed by it. The message is for the user: where swarmkit or libnetwork has
 * words for it, in those.
 */
public final class Refused extends FactoryException {
    private static final long serialVersionUID = 1L;

    private final Code code;

    /** As gRPC has them. */
    public enum Code {
        /** It cannot be had at any time. */
        INVALID_ARGUMENT(ErrorKind.MISCONFIGURED),
        UNIMPLEMENTED(ErrorKind.MISCONFIGURED),
        NOT_FOUND(ErrorKind.NOT_FOUND),
        ALREADY_EXISTS(ErrorKind.CONFLICT),
        /** Another one has it, or what is needed is not there yet. */
        FAILED_PRECONDITION(ErrorKind.CONFLICT),
        /** None is left here, and there may be one elsewhere. */
        RESOURCE_EXHAUSTED(ErrorKind.ADDRESSES_EXHAUSTED),
        /** Events that are not kept any more. */
        OUT_OF_RANGE(ErrorKind.QUOTA_EXHAUSTED),
        /** The object has changed since the caller read it. */
        SEQUENCE_CONFLICT(ErrorKind.CONFLICT),
        UNAVAILABLE(ErrorKind.UNAVAILABLE);

        private final ErrorKind kind;

        Code(ErrorKind kind) {
            this.kind = kind;
        }
    }

    public Refused(Code code, String why) {
        super(code.kind, why);
        this.code = code;
    }

    public Refused(Code code, String why, Throwable cause) {
        super(code.kind, why, cause);
        this.code = code;
    }

    /** An {@link Code#INVALID_ARGUMENT}. */
    public static Refused invalid(String why) {
        return new Refused(Code.INVALID_ARGUMENT, why);
    }

    /** A {@link Code#NOT_FOUND}. */
    public static Refused notFound(String why) {
        return new Refused(Code.NOT_FOUND, why);
    }

    /** A {@link Code#FAILED_PRECONDITION}. */
    public static Refused conflict(String why) {
        return new Refused(Code.FAILED_PRECONDITION, why);
    }

    /** A {@link Code#RESOURCE_EXHAUSTED}. */
    public static Refused exhausted(String why) {
        return new Refused(Code.RESOURCE_EXHAUSTED, why);
    }

    public Code code() {
        return code;
    }

    /** Never null. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** The same, with what was to be done in front of its message. */
    public Refused during(String what) {
        return new Refused(code, what + ": " + text(), this);
    }
}
