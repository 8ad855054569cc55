/**
 * The engine: what hands out resources, takes them back and remembers who has which.
 * {@link io.enipam.engine.IpamEngine} is its only entry point; the packages below are its parts. It imports
 * {@code io.enipam.sdk} and the JDK; it reaches everything else through {@code io.enipam.engine.port}.
 */
@NullMarked
package io.enipam.engine;

import org.jspecify.annotations.NullMarked;
