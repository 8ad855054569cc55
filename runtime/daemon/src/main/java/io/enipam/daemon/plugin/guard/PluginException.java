package io.enipam.daemon.plugin.guard;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;

/** A call of a plugin that gave nothing; the message names the plugin and what it did. */
public final class PluginException extends FactoryException {
    private static final long serialVersionUID = 1L;

    PluginException(ErrorKind kind, String message) {
        super(kind, message);
    }

    PluginException(ErrorKind kind, String message, Throwable cause) {
        super(kind, message, cause);
    }
}
