/**
 * The sandbox: a private daemon on a private emulator in a scratch directory, which lives and dies with the shell, and
 * is a socket like any other to the rest of it. The package imports {@code attach}.
 */
@NullMarked
package io.enipam.shell.sandbox;

import org.jspecify.annotations.NullMarked;
