/**
 * The interactive shell: prompt, history, completion, Ctrl-C and Ctrl-D, on JLine.
 *
 * <p>The package imports JLine, picocli's model, {@code command} and {@code attach}. The program calls it when there is
 * a terminal and no command; nothing of it is loaded otherwise, since a terminal costs more than a command.
 */
@NullMarked
package io.enipam.shell.repl;

import org.jspecify.annotations.NullMarked;
