/**
 * The engine: what hands out resources, takes them back and remembers who has which. {@link io.enipam.engine.IpamEngine}
 * is its one door; the packages below are its rooms. It imports {@code io.enipam.sdk} and the JDK; whatever touches the
 * world stands behind {@code io.enipam.engine.port}.
 */
@NullMarked
package io.enipam.engine;

import org.jspecify.annotations.NullMarked;
