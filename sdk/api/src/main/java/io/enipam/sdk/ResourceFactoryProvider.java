package io.enipam.sdk;

/** Announces one kind of factory a plugin can build. */
public interface ResourceFactoryProvider {
    /** The name by which configuration and the shell know the factory: {@code [a-z][a-z0-9-]*}, constant. */
    String name();

    /** The kind of everything the factory makes; constant. */
    ResourceKind kind();

    /**
     * Builds the factory. Called at most once per context.
     *
     * @throws FactoryException if the settings do not allow it
     */
    ResourceFactory open(PluginContext context);
}
