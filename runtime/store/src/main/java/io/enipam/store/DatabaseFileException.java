package io.enipam.store;

import org.jspecify.annotations.Nullable;

/** A file could not be written, read or taken. Nothing was changed; the hint says what to do. */
public final class DatabaseFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String hint;

    private DatabaseFileException(Reason reason, String message, String hint, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.hint = hint;
    }

    /** @param message one line that names the file */
    public static DatabaseFileException refused(String message, String hint) {
        return new DatabaseFileException(Reason.REFUSED, message, hint, null);
    }

    static DatabaseFileException notAgreed(String message, String hint) {
        return new DatabaseFileException(Reason.NOT_AGREED, message, hint, null);
    }

    static DatabaseFileException failed(String message, String hint, Throwable cause) {
        return new DatabaseFileException(Reason.FAILED, message, hint, cause);
    }

    public Reason reason() {
        return reason;
    }

    public String hint() {
        return hint;
    }

    /** What stood in the way. */
    public enum Reason {
        /** The file, or what was asked, is wrong: there is no use in trying again. */
        REFUSED,
        /** Leases would be lost, or another node's records taken: it is done if that is agreed to. */
        NOT_AGREED,
        FAILED
    }
}
