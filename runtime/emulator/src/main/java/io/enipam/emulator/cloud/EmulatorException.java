package io.enipam.emulator.cloud;

import org.jspecify.annotations.Nullable;

/** The emulator cannot start or cannot keep its state; the message says what failed and what to do. */
public final class EmulatorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public EmulatorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
