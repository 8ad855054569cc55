/**
 * The daemon over HTTP: one listener for metrics and health, read-only and open to whoever can connect. It knows nothing of what
 * its pages say: {@link io.enipam.observability.web.Site} maps paths to pages, {@link io.enipam.observability.web.WebListener} keeps the
 * port, {@link io.enipam.observability.web.Liveness} is the one page of its own. It imports the netty that gRPC brings, so that nothing
 * more is loaded and no thread waits for a client; who opens the daemon calls it.
 */
@NullMarked
package io.enipam.observability.web;

import org.jspecify.annotations.NullMarked;
