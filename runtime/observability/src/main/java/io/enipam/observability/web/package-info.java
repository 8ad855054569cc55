/**
 * The daemon over HTTP: one listener for metrics and health, read-only and without authentication. It does not know the
 * contents of its pages: {@link io.enipam.observability.web.Site} maps paths to pages,
 * {@link io.enipam.observability.web.WebListener} keeps the port, and {@link io.enipam.observability.web.Liveness} is
 * the only page of its own. It uses gRPC's netty, so that no further library is loaded and no thread waits for a
 * client; the daemon's start-up calls it.
 */
@NullMarked
package io.enipam.observability.web;

import org.jspecify.annotations.NullMarked;
