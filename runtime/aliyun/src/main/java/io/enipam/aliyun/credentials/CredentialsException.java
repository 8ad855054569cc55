package io.enipam.aliyun.credentials;

/** There are no keys to sign with. The message is one line, says what to do, and holds no secret. */
public final class CredentialsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean transientFailure;

    private CredentialsException(String message, boolean passing) {
        super(message);
        this.transientFailure = passing;
    }

    /** Somebody has to change something. */
    static CredentialsException permanent(String message) {
        return new CredentialsException(message, false);
    }

    /** Asking again may help. */
    static CredentialsException transientFailure(String message) {
        return new CredentialsException(message, true);
    }

    /** Whether asking again may help. */
    public boolean transientFailure() {
        return transientFailure;
    }
}
