/**
 * ADD and DEL: who has which resource, made durable before the caller is answered. {@code IpamEngine} and the garbage
 * collector call it; it calls the pool and the ports, in one fixed order, and undoes in reverse.
 */
@NullMarked
package io.enipam.engine.lease;

import org.jspecify.annotations.NullMarked;
