package io.enipam.pluginhost.load;

import java.util.ServiceConfigurationError;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a plugin's code step by step and turns whatever it throws into text, on the thread that ran it: the message of a
 * plugin's own exception is code of the plugin too.
 */
final class PluginStepRunner {
    private static final Logger LOG = LoggerFactory.getLogger(PluginStepRunner.class);

    private volatile String current = "starting";

    /** What is being done; any thread may ask. */
    String current() {
        return current;
    }

    /** Does one step, which names the code of the plugin it runs. */
    <T> T take(String step, Callable<T> work) throws PluginLoadException {
        current = step;
        try {
            return work.call();
        } catch (PluginLoadException e) {
            throw e;
        } catch (Throwable thrown) { // StackOverflowError and OutOfMemoryError too: they are the plugin's
            throw new PluginLoadException(step + " failed: " + inWords(step, unwrapped(thrown)));
        }
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable inner = thrown;
        while ((inner instanceof ServiceConfigurationError || inner instanceof ExceptionInInitializerError)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    private static String inWords(String step, Throwable thrown) {
        logWhere(step, thrown);
        String words = OneLine.of(thrown);
        if (thrown instanceof NoSuchMethodException) {
            return words + "; an entry point has a public constructor without parameters";
        }
        return thrown instanceof NoClassDefFoundError || thrown instanceof ClassNotFoundException
                ? words + "; a plugin sees the JDK, io.enipam.sdk and slf4j, and brings all else in its own jars"
                : words;
    }

    private static void logWhere(String step, Throwable thrown) {
        try {
            LOG.debug("{} failed", step, thrown);
        } catch (Throwable worse) { // asking what was thrown may throw again
            LOG.debug(
                    "{} failed with {}, which cannot be printed",
                    step,
                    thrown.getClass().getName());
        }
    }
}
