package io.enipam.engine.port;

import java.io.IOException;

/** Too many commits wait for the disk. Nothing was written of this one; the same one may be taken in a moment. */
public final class DbBusyException extends IOException {
    private static final long serialVersionUID = 1L;

    public DbBusyException(String message) {
        super(message);
    }
}
