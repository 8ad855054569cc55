/**
 * The dashboard: what it looks at, how a frame is drawn as lines of text, and how frames follow one another on a terminal.
 *
 * <p>{@link io.enipam.shell.top.Dashboard} is a pure function from a look at the daemon and a size to lines, so that the same
 * frame can go to a terminal, a pipe or a test. The package imports {@code render}, {@code attach}, JLine's terminal and the
 * protocol's stubs; the command {@code top} calls it.
 */
@NullMarked
package io.enipam.shell.top;

import org.jspecify.annotations.NullMarked;
