package io.enipam.emulator.api;

import java.util.Locale;

/** An answer that says no. It carries no stack trace: it is an ordinary outcome of a call. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ApiError error;

    /** An error with the blanks of its message filled in. */
    public ApiException(ApiError error, Object... blanks) {
        super(String.format(Locale.ROOT, error.message(), blanks), null, false, false);
        this.error = error;
    }

    /** Code and HTTP status. */
    public ApiError error() {
        return error;
    }
}
