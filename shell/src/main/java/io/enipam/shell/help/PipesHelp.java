package io.enipam.shell.help;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pipe.Filter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** What {@code help pipes} says: the filters, from their own descriptions, and files. */
final class PipesHelp {
    static final String TOPIC = "pipes";

    private PipesHelp() {}

    static List<String> lines(Palette palette) {
        List<String> lines = new ArrayList<>();
        lines.add("What a command prints can be filtered, and go to a file:");
        lines.add("");
        lines.add("  CMD | FILTER | FILTER > FILE");
        lines.add("");
        Table table = Table.details();
        for (CommandLine filter : Filter.models().values()) {
            String[] synopsis = filter.getCommandSpec().usageMessage().customSynopsis();
            String[] description = filter.getCommandSpec().usageMessage().description();
            table.row(new Table.Cell("  | " + synopsis[0], Tone.HEAD), Table.cell(description[0]));
        }
        table.row(new Table.Cell("  > FILE", Tone.HEAD), Table.cell("Into a file, in place of what is in it."));
        table.row(new Table.Cell("  >> FILE", Tone.HEAD), Table.cell("Behind what is in the file."));
        lines.addAll(table.lines(palette));
        lines.add("");
        lines.add("Lines go through as they come: 'events -f | grep Lost' shows each at once, and");
        lines.add("'events -f | head' ends by itself. Before '| jq' a command prints JSON without");
        lines.add("being told to. Quotes protect: grep 'a|b'.");
        lines.add("");
        lines.add("A file is replaced when the command has succeeded, and stays as it was if it");
        lines.add("has not; a new one can be read by its owner alone. Errors are not filtered.");
        lines.add("");
        lines.add("The exit status is the command's if that failed, else 1 if a filter failed, the");
        lines.add("last grep found nothing, or 'jq -e' ends with null or false.");
        lines.add("");
        lines.add("Examples:");
        lines.add("  pool inuse | grep kube-system");
        lines.add("  pool inuse | jq -r '.leases[] | select(.state != \"IN_USE\") | .pod'");
        lines.add("  db dump -o json > /tmp/db.json");
        lines.add("");
        lines.add("More on one of them: help grep");
        return lines;
    }
}
