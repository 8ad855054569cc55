package io.enipam.shell.repl;

import io.enipam.shell.CommandTree;
import io.enipam.shell.core.PlainCommandLine;
import io.enipam.shell.core.Session;
import io.enipam.shell.pipe.Filter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What may be typed, as picocli's models of it: the commands, and behind a bar the filters. It is built once, since the
 * editor looks at it with every key; nothing is ever parsed or run with these models, so they stay as they are.
 */
record EditorGrammar(CommandLine commands, CommandLine filters) {
    /** All that this shell knows. Takes some tens of milliseconds. */
    static EditorGrammar of(Session session) {
        CommandLine filters = PlainCommandLine.of(CommandSpec.create().name("enipam"));
        Filter.models().forEach(filters::addSubcommand);
        return new EditorGrammar(CommandTree.all(session), filters);
    }
}
