package io.enipam.sdk;

/** Announces one factory a plugin can build. */
public interface ResourceFactoryProvider {
    /** The name by which configuration and the shell know the factory: {@code [a-z][a-z0-9-]*}, constant. */
    String name();

    /**
     * Builds the factory. Called at most once per context; may block for a few seconds.
     *
     * @throws FactoryException if the settings do not allow it
     */
    ResourceFactory open(PluginContext context);
}
