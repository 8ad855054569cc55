package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginCallException.Reason;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** The coded failures of calls into a plugin. */
final class PluginFailures {
    private PluginFailures() {}

    /** Keeps the kind that a factory gave its exception; keeps no other reference to the plugin. */
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

    /** How failures of one factory are reported: with the plugin's id and its name, in one line. */
    record FactoryFailures(String pluginId, String name) {
        private static final int DEEPEST = 10;

        String says(String text) {
            return PluginText.line("plugin " + pluginId + ": " + text);
        }

        Failed failure(String what, Throwable thrown) {
            PluginCallException failure = threw(what, thrown);
            return Failed.of(failure.kind(), failure.getMessage());
        }

        PluginCallException threw(String what, Throwable thrown) {
            return PluginFailures.threw(pluginId, what + " of " + name, unwrapped(thrown));
        }

        PluginCallException late(String what, Duration deadline) {
            return PluginFailures.late(pluginId, what + " of " + name, deadline);
        }

        private static Throwable unwrapped(Throwable thrown) {
            Throwable at = thrown;
            for (int depth = 0;
                    depth < DEEPEST && at.getClass() == CompletionException.class && at.getCause() != null;
                    depth++) {
                at = at.getCause();
            }
            return at;
        }
    }

    /**
     * What was wrong with an answer.
     *
     * @param threw whether there was an exception instead of one
     * @param text one line
     */
    record CallFailure(boolean threw, String text) {
        static CallFailure threw(String what, Throwable thrown) {
            return new CallFailure(true, what + " threw " + PluginText.of(thrown));
        }

        static CallFailure rejected(String text) {
            return new CallFailure(false, text);
        }
    }
}
