package io.enipam.frontends.cni.spec;

import io.enipam.engine.model.IpamException;

/** A call that is answered with an error result. */
public final class CniException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LONGEST_DETAILS = 2_000;

    private final int code;
    private final String details;

    /**
     * @param code one of {@link CniErrorCode}, or an engine's
     * @param message what failed, with the name of the variable or key; longer than a runtime should have to log, it is cut
     * @param details what else there is to know, or what to do; empty text for nothing; cut, too
     */
    public CniException(int code, String message, String details) {
        super(Quoted.line(message, LONGEST_MESSAGE));
        this.code = code;
        this.details = Quoted.line(details, LONGEST_DETAILS);
    }

    /** An engine's refusal. */
    public static CniException of(IpamException refusal) {
        CniException told =
                new CniException(refusal.code().cniCode(), String.valueOf(refusal.getMessage()), refusal.hint());
        told.initCause(refusal);
        return told;
    }

    static CniException config(String message) {
        return new CniException(
                CniErrorCode.INVALID_CONFIG,
                message,
                "correct the network's file in the runtime's configuration directory, usually /etc/cni/net.d");
    }

    static CniException environment(String message) {
        return new CniException(
                CniErrorCode.INVALID_ENVIRONMENT, message, "the variables of a call are the runtime's: its log tells of it");
    }

    /** The code of the error result. */
    public int code() {
        return code;
    }

    /** What else there is to know; may be empty text. */
    public String details() {
        return details;
    }
}
