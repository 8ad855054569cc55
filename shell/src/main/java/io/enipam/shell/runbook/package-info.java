/**
 * Runbooks: read and checked as a whole, then run; the README beside this file has the grammar. {@link
 * io.enipam.shell.runbook.RunbookParser} makes a {@link io.enipam.shell.runbook.Runbook} of a {@link
 * io.enipam.shell.runbook.ScriptSource}, {@link io.enipam.shell.runbook.RunbookRunner} runs it and reports to {@link
 * io.enipam.shell.runbook.RunReport}s. Commands, time and questions are the port {@link
 * io.enipam.shell.runbook.CommandExecutor}. The package imports {@code core} and {@code pipe}.
 */
@NullMarked
package io.enipam.shell.runbook;

import org.jspecify.annotations.NullMarked;
