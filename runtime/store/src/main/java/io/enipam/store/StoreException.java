package io.enipam.store;

/** The database cannot be opened. The message says what is wrong and where, the hint what to do about it. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String hint;

    public StoreException(String message, String hint) {
        super(message);
        this.hint = hint;
    }

    public StoreException(String message, String hint, Throwable cause) {
        super(message, cause);
        this.hint = hint;
    }

    public String hint() {
        return hint;
    }
}
