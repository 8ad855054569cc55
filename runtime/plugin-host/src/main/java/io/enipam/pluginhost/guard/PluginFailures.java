package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginCallException.Reason;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.time.Duration;

/** The coded failures of calls into a plugin. */
final class PluginFailures {
    private PluginFailures() {}

    /** Keeps the kind that a factory gave its exception; keeps nothing else of the plugin's alive. */
    static PluginCallException threw(String pluginId, String what, Throwable thrown) {
        ErrorKind kind = ErrorKind.INTERNAL;
        String text = what + " threw " + PluginText.of(thrown);
        try {
            if (thrown instanceof FactoryException known && known.kind() != null) {
                kind = known.kind();
                text = what + ": " + PluginText.line(known.getMessage());
            }
        } catch (Throwable e) {
            text = what + " threw an exception that throws: "
                    + thrown.getClass().getName();
        }
        return new PluginCallException(Reason.THREW, kind, PluginText.line("plugin " + pluginId + ": " + text));
    }

    static PluginCallException late(String pluginId, String what, Duration deadline) {
        return new PluginCallException(
                Reason.LATE,
                ErrorKind.DEADLINE_EXCEEDED,
                PluginText.line(
                        "plugin " + pluginId + ": " + what + " did not answer within " + deadline.toMillis() + " ms"));
    }

    static PluginCallException rejected(String pluginId, String what) {
        return new PluginCallException(
                Reason.REJECTED,
                ErrorKind.INTERNAL,
                PluginText.line("plugin " + pluginId + ": " + what + " answered null, or with null in it"));
    }

    static PluginCallException refused(String pluginId, String why) {
        return new PluginCallException(
                Reason.REFUSED, ErrorKind.UNAVAILABLE, PluginText.line("plugin " + pluginId + ": " + why));
    }
}
