package io.enipam.shell.repl;

import picocli.CommandLine;

/**
 * What may be typed, as picocli's models of it: the commands, and behind a pipe the filters. It is built once, since the
 * editor looks at it with every key; nothing is ever parsed or run with these models, so they stay as they are.
 */
record Grammar(CommandLine commands, CommandLine filters) {}
