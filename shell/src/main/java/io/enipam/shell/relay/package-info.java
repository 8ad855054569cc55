/**
 * The far end of {@code enipam --node}: a program in the daemon's pod that passes bytes between stdin, stdout and the
 * daemon's socket. It starts once for each connection while an operator waits, so it uses little of the JDK: no
 * library, no lambda, no logging.
 */
@NullMarked
package io.enipam.shell.relay;

import org.jspecify.annotations.NullMarked;
