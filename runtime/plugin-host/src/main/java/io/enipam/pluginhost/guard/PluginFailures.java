package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginCallException.Reason;
import io.enipam.pluginhost.guard.RecentFailures.PluginFailure;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * The coded failures of calls into a plugin, or into one part of it, in one line each.
 *
 * @param name the part's; empty text for the plugin as a whole
 */
record PluginFailures(String pluginId, String name) {
    private static final int DEEPEST = 10;

    String says(String text) {
        return PluginText.line("plugin " + pluginId + ": " + text);
    }

    Failed failure(String what, Throwable thrown) {
        PluginCallException failure = threw(what, thrown);
        return Failed.of(failure.kind(), failure.getMessage());
    }

    /** Keeps the kind that a factory gave its exception; keeps no other reference to the plugin. */
    PluginCallException threw(String what, Throwable wrapped) {
        Throwable thrown = unwrapped(wrapped);
        ErrorKind kind = ErrorKind.INTERNAL;
        String text = of(what) + " threw " + PluginText.of(thrown);
        try {
            if (thrown instanceof FactoryException known && known.kind() != null) {
                kind = known.kind();
                text = of(what) + ": " + PluginText.line(known.getMessage());
            }
        } catch (Throwable e) {
            text = of(what) + " threw an exception that throws: "
                    + thrown.getClass().getName();
        }
        return new PluginCallException(Reason.THREW, kind, says(text));
    }

    PluginCallException late(String what, Duration deadline) {
        String text = of(what) + " did not answer within " + deadline.toMillis() + " ms";
        return new PluginCallException(Reason.LATE, ErrorKind.DEADLINE_EXCEEDED, says(text));
    }

    PluginCallException rejected(String what) {
        return new PluginCallException(
                Reason.REJECTED, ErrorKind.INTERNAL, says(of(what) + " answered null, or with null in it"));
    }

    PluginCallException refused(String why) {
        return new PluginCallException(Reason.REFUSED, ErrorKind.UNAVAILABLE, says(why));
    }

    private String of(String what) {
        return name.isEmpty() ? what : what + " of " + name;
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

    /**
     * @param threw whether there was an exception instead of one
     * @param text one line
     * @param stack of the exception, a line each
     */
    record CallFailure(boolean threw, String text, List<String> stack) {
        static CallFailure threw(String what, Throwable thrown) {
            return new CallFailure(true, what + " threw " + PluginText.of(thrown), PluginFailure.stackOf(thrown));
        }

        static CallFailure rejected(String text) {
            return new CallFailure(false, text, List.of());
        }
    }
}
