/**
 * The commands on what a node's daemon has and does, a class for each of the first words, and how their replies are
 * shown. The rest of the commands are with what they command: {@code status}, {@code bundle}, {@code runbook}, {@code
 * repl} and {@code help}.
 */
@NullMarked
package io.enipam.shell.command;

import org.jspecify.annotations.NullMarked;
