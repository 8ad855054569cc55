/**
 * Runbooks: files of commands and of what is expected of them, read and checked as a whole, then run line by line.
 *
 * <p>The package imports {@code text}, {@code render} and {@code attach}. It knows no command: those that run a runbook
 * give it their own as {@link io.enipam.shell.runbook.Commands}.
 */
@NullMarked
package io.enipam.shell.runbook;

import org.jspecify.annotations.NullMarked;
