/**
 * From a key to its echo: the shell on a pseudo-terminal, typed at by a program that looks at its clock.
 *
 * <p>Nothing here is used by the product; it imports pty4j for the terminal.
 */
@NullMarked
package io.enipam.bench.keys;

import org.jspecify.annotations.NullMarked;
