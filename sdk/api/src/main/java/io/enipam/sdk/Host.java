package io.enipam.sdk;

import java.util.Optional;

/** What the host lends a {@link Part}. Thread-safe; valid until the part is closed. */
public interface Host extends PluginContext {
    /** Where the part runs. */
    NodeInfo node();

    /**
     * Metrics and events of the plugin.
     *
     * @throws FactoryException {@link ErrorKind#UNAVAILABLE} where a part is opened without any
     */
    default Signals signals() {
        throw new FactoryException(ErrorKind.UNAVAILABLE, "this host shows no metrics and events of plugins");
    }

    /**
     * How the claims stand that the part has cast on ballots.
     *
     * @throws FactoryException {@link ErrorKind#UNAVAILABLE} where a part is opened without other parts
     */
    default Ballots ballots() {
        throw new FactoryException(ErrorKind.UNAVAILABLE, "this host has no ballots");
    }

    @Override
    <T> Optional<T> service(Class<T> type);
}
