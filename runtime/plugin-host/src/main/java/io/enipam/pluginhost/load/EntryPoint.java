package io.enipam.pluginhost.load;

import io.enipam.sdk.IpamPlugin;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

    private EntryPoint(PluginClassLoader loader) {
        this.loader = loader;
    }

    /** Asks, and waits until the deadline; a thread that does not come back is interrupted and left behind. */
    static PluginContents load(String id, PluginClassLoader loader, Duration deadline) throws PluginLoadException {
        return new EntryPoint(loader).load("plugin-" + id + "-load", deadline);
    }

    private PluginContents load(String threadName, Duration deadline) throws PluginLoadException {
        FutureTask<PluginContents> contents = new FutureTask<>(this::read);
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
    private static PluginContents answer(FutureTask<PluginContents> contents, Thread thread, Duration deadline)
            throws InterruptedException, ExecutionException, TimeoutException {
        PluginContents answer = contents.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        thread.join(LAST_STEPS.toMillis());
        return answer;
    }

    private PluginContents read() throws PluginLoadException {
        IpamPlugin plugin = create();
        PluginDeclarationReader declared = new PluginDeclarationReader(steps);
        return new PluginContents(
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
}
