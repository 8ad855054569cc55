/**
 * The sandbox: a private daemon on a private emulator in a scratch directory, which lives and dies with the shell.
 *
 * <p>The package imports {@code attach} and the JDK. The program calls it; once started, a sandbox is a socket like any
 * other to the rest of the shell.
 */
@NullMarked
package io.enipam.shell.sandbox;

import org.jspecify.annotations.NullMarked;
