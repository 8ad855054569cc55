package io.enipam.shell.core;

import java.util.List;
import picocli.CommandLine;

/** The columns that a listing may be told to print or to order by, for completion. */
public final class ColumnNames {
    private ColumnNames() {}

    /** Their keys, those of wide tables too; none if the command lists nothing. */
    public static List<String> of(CommandLine command) {
        return command.getCommand() instanceof ShellCommand known
                ? known.lists().map(listed -> listed.listing().keys()).orElse(List.of())
                : List.of();
    }
}
