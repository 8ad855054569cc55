/**
 * The manual pages and the completion of bash and zsh, written from the grammar that parses commands and prints help.
 * It runs while the shell is packaged; nothing uses it.
 */
@NullMarked
package io.enipam.shell.reference;

import org.jspecify.annotations.NullMarked;
