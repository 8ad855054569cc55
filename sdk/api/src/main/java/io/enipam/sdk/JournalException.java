package io.enipam.sdk;

/** A {@link Journal} could not do what it was asked. The message is for an operator, in one line: what failed, why, what to do. */
public class JournalException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;

    public JournalException(ErrorKind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public JournalException(ErrorKind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public ErrorKind kind() {
        return kind;
    }
}
