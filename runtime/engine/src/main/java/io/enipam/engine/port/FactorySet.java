package io.enipam.engine.port;

import io.enipam.sdk.ResourceFactory;
import java.util.List;
import java.util.function.Consumer;

/**
 * The factories a start finds.
 *
 * @param leaving make nothing more, and take back what they made as it comes free
 * @param drained receives the name of a leaving factory once nothing of its is left; on any thread, once per factory
 */
public record FactorySet(NamedFactory active, List<NamedFactory> leaving, Consumer<String> drained) {
    public FactorySet {
        leaving = List.copyOf(leaving);
    }

    /** One factory that stays. */
    public static FactorySet of(NamedFactory active) {
        return new FactorySet(active, List.of(), name -> {});
    }

    /**
     * A factory under the name by which configuration and rows of the database know it.
     *
     * @param name {@code [a-z][a-z0-9-]*}
     * @param provider the name of the factory that has the resources in the end: its own, or that of the one it wraps.
     *     Between two factories of one provider resources need not drain: they are the same resources
     * @param ofPlugin whether a plugin makes the resources, without the cloud: what it cannot do is no failure of the cloud
     */
    public record NamedFactory(String name, ResourceFactory factory, String provider, boolean ofPlugin) {
        public NamedFactory(String name, ResourceFactory factory, String provider) {
            this(name, factory, provider, false);
        }

        /** A factory that wraps no other. */
        public NamedFactory(String name, ResourceFactory factory) {
            this(name, factory, name);
        }
    }
}
