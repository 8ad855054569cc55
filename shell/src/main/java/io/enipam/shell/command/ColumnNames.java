package io.enipam.shell.command;

import com.google.protobuf.Message;
import io.enipam.shell.render.Column;
import java.util.List;
import picocli.CommandLine;

/** The columns that a listing may be told to print or to order by, for completion. */
public final class ColumnNames {
    private ColumnNames() {}

    /** Their keys, those of wide tables too; none if the command lists nothing. */
    public static List<String> of(CommandLine command) {
        return command.getCommand() instanceof ListCommand<?> list ? keys(list) : List.of();
    }

    private static <I extends Message> List<String> keys(ListCommand<I> list) {
        return list.listing().columns(true).stream().map(Column::key).toList();
    }
}
