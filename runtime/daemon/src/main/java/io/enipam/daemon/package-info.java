/**
 * {@code enipamd}: the program, its start-up in order and its shutdown in reverse order. This is the one place that knows
 * every module: it opens store and cloud, builds the engine on them and serves it on a unix socket. Nobody calls it but
 * the command line and tests.
 */
@NullMarked
package io.enipam.daemon;

import org.jspecify.annotations.NullMarked;
