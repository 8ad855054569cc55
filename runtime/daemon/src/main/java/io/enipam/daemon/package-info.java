/**
 * {@code enipamd}: the program, its start-up in order and its shutdown in reverse order. Only this package knows every
 * module: it opens store and cloud, builds the engine on them and serves it on a unix socket. Only the command line and
 * tests call it.
 */
@NullMarked
package io.enipam.daemon;

import org.jspecify.annotations.NullMarked;
