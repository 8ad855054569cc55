package io.enipam.pluginhost.load;

import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginLoader.PluginLoadException;
import io.enipam.sdk.IpamPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the entry point of a plugin and asks it what it brings, all on one thread of its own.
 *
 * <p>Every line of the plugin's code that runs before a factory or policy is opened runs here: class initialisers,
 * constructor, lists, names, and the messages of what it throws. So whatever it does, it does to this thread, and nothing
 * that was thrown leaves it, only text.
 */
final class EntryPoint {
    /** A thread that has answered has nothing left to do, unless the plugin holds the thread's own lock. */
    private static final Duration LAST_STEPS = Duration.ofSeconds(1);

    private final PluginClassLoader loader;
    private final PluginStepRunner steps = new PluginStepRunner();

    private final PluginManifest manifest;
    private final Path source;

    private EntryPoint(PluginManifest manifest, Path source, PluginClassLoader loader) {
        this.manifest = manifest;
        this.source = source;
        this.loader = loader;
    }

    /** Asks, and waits until the deadline; a thread that does not come back is interrupted and left behind. */
    static LoadedPlugin load(PluginManifest manifest, Path source, PluginClassLoader loader, Duration deadline)
            throws PluginLoadException {
        return new EntryPoint(manifest, source, loader).load("plugin-" + manifest.id() + "-load", deadline);
    }

    private LoadedPlugin load(String threadName, Duration deadline) throws PluginLoadException {
        FutureTask<LoadedPlugin> contents = new FutureTask<>(this::read);
        Thread thread = new Thread(null, contents, threadName, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(loader);
        thread.start();
        try {
            return answer(contents, thread, deadline);
        } catch (TimeoutException e) {
            String hanging = steps.current(); // before the interrupt, which may let it go on to the next
            thread.interrupt();
            throw new PluginLoadException(hanging + " has not returned after " + deadline.toMillis()
                    + " ms; constructor and lists of a plugin must do no work");
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new PluginLoadException("loading was interrupted; the daemon is being stopped");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof PluginLoadException problem) {
                throw problem;
            }
            // not even the text of what was thrown could be had: the memory is full, say
            throw new PluginLoadException(
                    steps.current() + " failed: " + e.getCause().getClass().getName());
        }
    }

    /** The answer, once its thread has ended too, so that it is not taken for one the plugin left behind. */
    private static LoadedPlugin answer(FutureTask<LoadedPlugin> contents, Thread thread, Duration deadline)
            throws InterruptedException, ExecutionException, TimeoutException {
        LoadedPlugin answer = contents.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        thread.join(LAST_STEPS.toMillis());
        return answer;
    }

    private LoadedPlugin read() throws PluginLoadException {
        IpamPlugin plugin = create();
        PluginDeclarationReader declared = new PluginDeclarationReader(steps);
        return new LoadedPlugin(
                manifest,
                source,
                loader,
                plugin,
                declared.settings("settings()", plugin::settings),
                declared.factories(plugin),
                declared.policies(plugin),
                declared.diagnostics(plugin));
    }

    private IpamPlugin create() throws PluginLoadException {
        ServiceLoader.Provider<IpamPlugin> provider = steps.take(
                "loading the entry point",
                () -> ServiceLoader.load(IpamPlugin.class, loader).stream()
                        .findFirst()
                        .orElseThrow());
        return steps.take("the constructor of " + provider.type().getName(), provider::get);
    }

    /**
     * Runs a plugin's code step by step and turns whatever it throws into text, on the thread that ran it: the message of a
     * plugin's own exception is code of the plugin too.
     */
    static final class PluginStepRunner {
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
}
