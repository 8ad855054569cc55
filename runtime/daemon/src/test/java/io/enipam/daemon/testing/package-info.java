/**
 * Fakes for the daemon's tests: an engine, a database and a client on a unix socket. They keep everything in memory.
 * Tests of any package of the daemon may use them.
 */
@NullMarked
package io.enipam.daemon.testing;

import org.jspecify.annotations.NullMarked;
