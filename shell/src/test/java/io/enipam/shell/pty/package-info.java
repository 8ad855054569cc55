/** The program on a pseudo-terminal, and what a person in front of it sees. */
@NullMarked
package io.enipam.shell.pty;

import org.jspecify.annotations.NullMarked;
