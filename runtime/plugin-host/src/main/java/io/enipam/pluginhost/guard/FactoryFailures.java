package io.enipam.pluginhost.guard;

import io.enipam.sdk.Failed;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** How failures of one factory are told: with the plugin's id and its name, in one line. */
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
