package io.enipam.engine.port;

import io.enipam.sdk.ResourceFactory;

/**
 * A factory under the name by which configuration and rows of the database know it.
 *
 * @param name {@code [a-z][a-z0-9-]*}
 * @param provider the name of the factory that has the resources in the end: its own, or that of the one it wraps. Between
 *     two factories of one provider resources need not drain: they are the same resources
 */
public record NamedFactory(String name, ResourceFactory factory, String provider) {
    /** A factory that wraps no other. */
    public NamedFactory(String name, ResourceFactory factory) {
        this(name, factory, name);
    }
}
