package io.enipam.pluginhost.load;

import io.enipam.pluginhost.load.LoadedPlugin.Origin;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import io.enipam.pluginhost.load.PluginLoader.Candidate;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the entry point of a plugin and asks it what it brings, all on one thread of its own.
 *
 * <p>Every line of the plugin's code that runs before a factory or policy is opened runs here: class initialisers,
 * constructor, lists, names, and the messages of what it throws. So whatever it does, it does to this thread, and nothing
 * that was thrown leaves it, only text. Nothing about the lists is trusted.
 */
final class EntryPoint {
    /** A thread that has answered has nothing left to do, unless the plugin holds the thread's own lock. */
    private static final Duration LAST_STEPS = Duration.ofSeconds(1);

    private static final int MOST = 1_000;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    private final PluginClassLoader loader;
    private final PluginStepRunner steps = new PluginStepRunner();

    private final PluginManifest manifest;
    private final Origin origin;
    private final LoadingRecord.Mark mark;

    private EntryPoint(Candidate candidate, Origin origin, PluginClassLoader loader, LoadingRecord.Mark mark) {
        this.manifest = candidate.manifest();
        this.origin = origin;
        this.loader = loader;
        this.mark = mark;
    }

    /**
     * Asks, and waits until the deadline; a thread that does not come back is interrupted and left behind.
     *
     * @param mark closed when the plugin's code has ended, which may be later than this returns
     */
    static LoadedPlugin load(
            Candidate candidate, Origin origin, PluginClassLoader loader, LoadingRecord.Mark mark, Duration deadline)
            throws PluginLoadException {
        return new EntryPoint(candidate, origin, loader, mark).load("plugin-" + candidate.id() + "-load", deadline);
    }

    private LoadedPlugin load(String threadName, Duration deadline) throws PluginLoadException {
        FutureTask<LoadedPlugin> contents = new FutureTask<>(this::readMarked);
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

    private LoadedPlugin readMarked() throws PluginLoadException {
        try {
            return read();
        } finally {
            // past its deadline, the thread is interrupted, and no file can be changed on such a one
            Thread.interrupted();
            mark.close();
        }
    }

    private LoadedPlugin read() throws PluginLoadException {
        IpamPlugin plugin = create();
        return new LoadedPlugin(
                manifest,
                origin,
                loader,
                plugin,
                settings("settings()", plugin::settings),
                new LoadedPlugin.Parts(
                        named(
                                "resourceFactories()",
                                plugin::resourceFactories,
                                ResourceFactoryProvider::name,
                                (name, factory) -> ResourceFactoryProvider.of(name, factory::open)),
                        named(
                                "poolPolicies()",
                                plugin::poolPolicies,
                                PoolPolicyProvider::name,
                                (name, policy) -> PoolPolicyProvider.of(name, policy::open)),
                        extensions(plugin)),
                diagnostics(plugin));
    }

    private IpamPlugin create() throws PluginLoadException {
        ServiceLoader.Provider<IpamPlugin> provider = steps.take(
                "loading the entry point",
                () -> ServiceLoader.load(IpamPlugin.class, loader).stream()
                        .findFirst()
                        .orElseThrow());
        return steps.take("the constructor of " + provider.type().getName(), provider::get);
    }

    private List<Setting<?>> settings(String what, Callable<@Nullable List<Setting<?>>> call)
            throws PluginLoadException {
        List<Setting<?>> settings = list(what, call);
        return steps.take(what, () -> {
            Set<String> names = new HashSet<>();
            for (Setting<?> setting : settings) {
                distinct(what, names, setting.name());
                // Setting's own methods were called by the plugin, which may have given them null
                given(what, setting.name() + ".allowed()", setting.allowed());
                given(what, setting.name() + ".unit()", setting.unit());
                given(what, setting.name() + ".doc()", setting.doc());
                given(what, setting.name() + ".usual()", setting.usual());
            }
            return settings;
        });
    }

    private List<Extension> extensions(IpamPlugin plugin) throws PluginLoadException {
        String what = "extensions()";
        return named(what, plugin::extensions, Extension::name, (name, extension) -> {
            Set<Role> roles = given(what, name + ".roles()", extension.roles());
            Optional<String> ballot = given(what, name + ".ballot()", extension.ballot());
            return ballot.isEmpty()
                    ? Extension.of(name, EnumSet.copyOf(roles), extension::open)
                    : Extension.voter(name, EnumSet.copyOf(roles), ballot.get(), extension::open);
        });
    }

    private List<Diagnostic> diagnostics(IpamPlugin plugin) throws PluginLoadException {
        String what = "diagnostics()";
        return named(
                what,
                plugin::diagnostics,
                Diagnostic::name,
                (name, diagnostic) -> Diagnostic.of(
                        name,
                        given(what, name + ".summary()", diagnostic.summary()),
                        settings(what + ": " + name + ".parameters()", diagnostic::parameters),
                        diagnostic::run));
    }

    /** A list of things with different names; of each a copy is made that need not be asked for its name again. */
    private <T> List<T> named(
            String what, Callable<@Nullable List<T>> call, Function<T, @Nullable String> nameOf, Copier<T> copier)
            throws PluginLoadException {
        List<T> found = list(what, call);
        return steps.take(what, () -> {
            Set<String> names = new HashSet<>();
            List<T> named = new ArrayList<>();
            for (T each : found) {
                named.add(copier.copy(name(what, names, nameOf.apply(each)), each));
            }
            return named;
        });
    }

    private interface Copier<T> {
        T copy(String name, T original) throws PluginLoadException;
    }

    /** The plugin's list may be any object that calls itself one, so it is gone through once, and not to the end. */
    private <T> List<T> list(String what, Callable<@Nullable List<T>> call) throws PluginLoadException {
        return steps.take(what, () -> {
            List<T> copy = new ArrayList<>();
            for (T element : given(what, "the list", call.call())) {
                copy.add(given(what, "element " + copy.size() + " of the list", element));
                if (copy.size() > MOST) {
                    throw new PluginLoadException(what + ": the list has more than " + MOST + " elements");
                }
            }
            return copy;
        });
    }

    private static String name(String what, Set<String> taken, @Nullable String name) throws PluginLoadException {
        String given = given(what, "a name()", name);
        if (!NAME.matcher(given).matches()) {
            throw new PluginLoadException(what + ": the name '" + OneLine.of(given)
                    + "' is not allowed; allowed are a-z, 0-9 and -, a letter first, at most 63");
        }
        return distinct(what, taken, given);
    }

    private static String distinct(String what, Set<String> taken, String name) throws PluginLoadException {
        if (!taken.add(name)) {
            throw new PluginLoadException(what + ": the name " + name + " is there twice; names must differ");
        }
        return name;
    }

    private static <T> T given(String what, String part, @Nullable T value) throws PluginLoadException {
        if (value == null) {
            throw new PluginLoadException(what + ": " + part + " is null");
        }
        return value;
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
