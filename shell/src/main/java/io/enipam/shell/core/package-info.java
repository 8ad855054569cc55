/**
 * What all commands share: session, grammar, bases of commands, lists, tables and output formats, times, and the lexer
 * of command lines. It imports {@code attach} and knows no noun.
 */
@NullMarked
package io.enipam.shell.core;

import org.jspecify.annotations.NullMarked;
