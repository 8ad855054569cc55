package io.enipam.engine.model;

/**
 * An operation of the engine failed. The code is for programs, message and hint for operators: what failed, why, and
 * what to do.
 */
public final class IpamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String hint;

    /** @param hint what to do about it; empty text if there is nothing to say */
    public IpamException(ErrorCode code, String message, String hint) {
        super(message);
        this.code = code;
        this.hint = hint;
    }

    public IpamException(ErrorCode code, String message, String hint, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.hint = hint;
    }

    public ErrorCode code() {
        return code;
    }

    public String hint() {
        return hint;
    }
}
