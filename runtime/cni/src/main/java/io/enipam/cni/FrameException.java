package io.enipam.cni;

import java.io.IOException;

/** What came is no frame of this version. */
public final class FrameException extends IOException {
    private static final long serialVersionUID = 1;

    FrameException(String message) {
        super(message);
    }
}
