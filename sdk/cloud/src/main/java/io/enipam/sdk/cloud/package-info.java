/**
 * The cloud for plugins: a node's instance and ENIs, and the calls of the VPC on each host, by {@link io.enipam.sdk.cloud.Cloud}, which a
 * part or a factory takes from its host ({@link io.enipam.sdk.PluginContext#service}).
 *
 * <p>The package imports the SDK, the JDK and jspecify, nothing else. The host implements it; plugins call it, and bring no copy of
 * it. A call of a plugin counts in the same limits, and is retried by the same rules, as the daemon's own calls. It grows by adding:
 * a new method of an interface has a default.
 */
@NullMarked
package io.enipam.sdk.cloud;

import org.jspecify.annotations.NullMarked;
