package io.enipam.engine.port;

import io.enipam.sdk.ResourceFactory;

/**
 * A factory under the name by which configuration and rows of the database know it.
 *
 * @param name {@code [a-z][a-z0-9-]*}
 */
public record NamedFactory(String name, ResourceFactory factory) {}
