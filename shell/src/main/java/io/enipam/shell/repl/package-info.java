/**
 * The interactive shell: prompt, history, completion, pager, Ctrl-C and Ctrl-D, on JLine and picocli's models. Nothing of it
 * is loaded without a terminal, since one costs more than a command.
 */
@NullMarked
package io.enipam.shell.repl;

import org.jspecify.annotations.NullMarked;
