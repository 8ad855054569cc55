/**
 * The shell's commands: their grammar as picocli's annotations, what they ask the daemon, and how a line becomes a run.
 *
 * <p>The package imports picocli, {@code attach}, {@code text}, {@code render}, {@code runbook} and the protocol's
 * stubs. The program's one-shot mode
 * and the REPL call it through {@link io.enipam.shell.command.CommandRunner}; it knows no terminal but for
 * the one that {@code top} is lent.
 */
@NullMarked
package io.enipam.shell.command;

import org.jspecify.annotations.NullMarked;
