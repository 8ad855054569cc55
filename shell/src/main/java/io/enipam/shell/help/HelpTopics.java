package io.enipam.shell.help;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pipe.Filter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What {@code help} has to say of more than one command: {@code help formats}. */
public final class HelpTopics {
    /** By name, with what the overview says of each. */
    private static final Map<String, String> ALL = all();

    private HelpTopics() {}

    private static Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("formats", "table, wide, json, yaml, name; which columns, sorted how; again and again");
        all.put("pipes", "filters behind a command, and files");
        all.put("runbooks", "files of commands, and of what to expect of them");
        all.put("exit-codes", "what the exit status says");
        all.put("permissions", "who may look and who may change, and how to be safe");
        return all;
    }

    /** Their names, with a line on each. */
    public static Map<String, String> names() {
        return ALL;
    }

    /** The text of one, if there is one of this name. */
    static Optional<List<String>> lines(String name, Palette palette) {
        if (!ALL.containsKey(name)) {
            return Optional.empty();
        }
        return Optional.of(text(name).stream()
                .flatMap(line -> line.equals("@filters") ? filters(palette).stream() : Stream.of(line))
                .toList());
    }

    /** What may stand behind a command, from the filters' own descriptions. */
    private static List<String> filters(Palette palette) {
        Table table = Table.details();
        for (CommandLine filter : Filter.models().values()) {
            UsageMessageSpec usage = filter.getCommandSpec().usageMessage();
            table.row(
                    new Table.Cell("  | " + usage.customSynopsis()[0], Tone.HEAD), Table.cell(usage.description()[0]));
        }
        table.row(new Table.Cell("  > FILE", Tone.HEAD), Table.cell("Into a file, in place of what is in it."));
        table.row(new Table.Cell("  >> FILE", Tone.HEAD), Table.cell("Behind what is in the file."));
        return table.lines(palette);
    }

    private static List<String> text(String name) {
        try (InputStream text = HelpTopics.class.getResourceAsStream("topic-" + name + ".txt")) {
            if (text == null) {
                throw new IllegalStateException("topic-" + name + ".txt is not in the jar");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
