package io.enipam.shell.core;

import picocli.CommandLine;

/** Command lines as this shell reads them everywhere: a word that begins with {@code @} is a word, and no file of words. */
public final class PlainCommandLine {
    private PlainCommandLine() {}

    /** @param command annotated object, or a {@link CommandLine.Model.CommandSpec} */
    public static CommandLine of(Object command) {
        return new CommandLine(command).setExpandAtFiles(false);
    }
}
