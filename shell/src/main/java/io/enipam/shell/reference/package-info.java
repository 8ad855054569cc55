/**
 * The manual pages and the completion of bash and zsh, written from the same model of the grammar that parses commands and
 * prints help. It runs while the shell is packaged and is part of no command; it may use {@code command} and picocli, and
 * nothing uses it.
 */
@NullMarked
package io.enipam.shell.reference;

import org.jspecify.annotations.NullMarked;
