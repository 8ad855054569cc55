package io.enipam.aliyun.credentials;

/** There are no keys to sign with. The message is one line, says what to do, and holds no secret. */
public final class KeysException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean passing;

    private KeysException(String message, boolean passing) {
        super(message);
        this.passing = passing;
    }

    /** Somebody has to change something. */
    static KeysException lasting(String message) {
        return new KeysException(message, false);
    }

    /** Asking again may help. */
    static KeysException passing(String message) {
        return new KeysException(message, true);
    }

    /** Whether asking again may help. */
    public boolean passing() {
        return passing;
    }
}
