/** The shell against a daemon that answers from a script, over a real unix socket. */
@NullMarked
package io.enipam.shell;

import org.jspecify.annotations.NullMarked;
