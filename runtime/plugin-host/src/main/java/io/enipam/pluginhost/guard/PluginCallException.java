package io.enipam.pluginhost.guard;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;

/**
 * A call into a plugin brought no answer. The message names the plugin, the call and the cause, and is fit for an
 * operator.
 */
public final class PluginCallException extends FactoryException {
    private static final long serialVersionUID = 1L;

    /** Why there is no answer. */
    public enum Reason {
        /** It did not return in time; it may be at work still. */
        LATE,
        THREW,
        /** It was not made: the breaker is open, or there is no thread for it. */
        REFUSED,
        /** It answered null or something of the wrong shape. */
        REJECTED
    }

    private final Reason reason;

    PluginCallException(Reason reason, ErrorKind kind, String message) {
        super(kind, message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
