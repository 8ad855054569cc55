package io.enipam.sdk;

/**
 * A factory as a whole could not do what it was asked; one item's failure is a {@link Failed}, not an exception. The
 * message is for an operator, in one line: what failed and why; no secrets.
 */
public class FactoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;

    public FactoryException(ErrorKind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public FactoryException(ErrorKind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public ErrorKind kind() {
        return kind;
    }
}
