package io.enipam.sdk;

import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

/**
 * What the daemon lends a plugin. Thread-safe; valid until the factory or policy it was lent for is closed or replaced.
 *
 * <pre>{@code
 * public ResourceFactory open(PluginContext context) {
 *     Duration pause = context.settings().get(PAUSE);
 *     Path journal = context.directory().resolve("journal");
 *     ResourceFactory inner = context.factory(context.settings().get(WRAPPED)); // closed by the wrapper's close()
 *     return new Patient(inner, pause, journal, context.clock());
 * }
 * }</pre>
 *
 * <p>In a test, {@code TestContext} of the testkit stands in for it.
 */
public interface PluginContext {
    /**
     * The plugin's own settings, as {@code enipam.yaml} has them under {@code plugins.ID}, checked. A {@link Setting#live()
     * live} setting has its value of now at each call: ask again for each answer, and keep the context, not the settings.
     * The call is cheap. Other settings are as they were when the daemon started.
     */
    Settings settings();

    /** The daemon's clock. A plugin that reads the time elsewhere cannot be simulated. */
    Clock clock();

    /**
     * A directory of the plugin's own, which exists, is private to the daemon, and survives restarts. Two factories of one
     * plugin share it.
     */
    Path directory();

    /**
     * The plugin's durable tables, shared by all of its parts. They are in the daemon's database, so that they are in its
     * backups and are shown by {@code db dump}; the directory is not.
     *
     * @throws JournalException {@link ErrorKind#UNAVAILABLE} where a plugin is opened only to look at it, without a database
     */
    default Journal journal() {
        throw new JournalException(ErrorKind.UNAVAILABLE, "this host has no tables for plugins");
    }

    /**
     * Opens another factory by its name, for a factory that wraps it: with a rate limit, a cache, a breaker. The wrapper closes
     * it.
     *
     * @param name a built-in factory or one of any plugin, but not one that is being opened by this very call
     * @throws FactoryException {@link ErrorKind#MISCONFIGURED} if there is none, or opening would go in a circle
     */
    ResourceFactory factory(String name);

    /**
     * A service of another jar of the SDK, such as the cluster's nodes or the cloud's calls. Cheap: what the service needs is
     * opened with its first call.
     *
     * @param type the service's interface
     * @return empty if this host does not offer it
     */
    default <T> Optional<T> service(Class<T> type) {
        return Optional.empty();
    }
}
