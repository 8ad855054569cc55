package io.enipam.daemon;

/** The daemon cannot start. The message is one line: what failed, why, what to do. */
public final class StartupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StartupException(String message) {
        super(message);
    }

    StartupException(String message, Throwable cause) {
        super(message, cause);
    }
}
