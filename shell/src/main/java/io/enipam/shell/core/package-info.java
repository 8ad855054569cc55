/** What all commands share: the session, the bases of commands, tables and output formats, texts, times and the command-line lexer. Depends on the attached daemon's connection alone; knows no noun. */
@NullMarked
package io.enipam.shell.core;

import org.jspecify.annotations.NullMarked;
