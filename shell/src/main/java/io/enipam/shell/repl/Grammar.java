package io.enipam.shell.repl;

import io.enipam.shell.command.CommandTree;
import io.enipam.shell.command.Session;
import io.enipam.shell.pipe.Filter;
import io.enipam.shell.text.PlainCommandLine;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What may be typed, as picocli's models of it: the commands, and behind a bar the filters. It is built once, since the
 * editor looks at it with every key; nothing is ever parsed or run with these models, so they stay as they are.
 */
record Grammar(CommandLine commands, CommandLine filters) {
    /** All that this shell knows. Takes some tens of milliseconds. */
    static Grammar of(Session session) {
        CommandLine filters = PlainCommandLine.of(CommandSpec.create().name("enipam"));
        Filter.models().forEach(filters::addSubcommand);
        return new Grammar(CommandTree.all(session), filters);
    }
}
