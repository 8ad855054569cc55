/**
 * Runbooks: read and checked as a whole, then run. The grammar and what it means are in the README beside this file.
 *
 * <p>{@link io.enipam.shell.runbook.RunbookParser} makes a {@link io.enipam.shell.runbook.Runbook} of a {@link
 * io.enipam.shell.runbook.ScriptSource}, {@link io.enipam.shell.runbook.RunbookRunner} runs it and tells {@link
 * io.enipam.shell.runbook.RunReport}s. Commands, time and whoever answers questions are ports. The package imports {@code pipe},
 * {@code text} and {@code render}; {@code command} calls it.
 */
@NullMarked
package io.enipam.shell.runbook;

import org.jspecify.annotations.NullMarked;
