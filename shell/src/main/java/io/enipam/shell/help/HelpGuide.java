package io.enipam.shell.help;

import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShippedText;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pipe.Filter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * What {@code help} teaches beside the grammar: topics such as {@code help formats}, and of a command what its one
 * line of description leaves open, a worked example with its output, what else its exit status says, and where to look
 * next: the text {@code guide.txt} beside this class, read when help is asked for and not at every start. An entry is
 *
 * <pre>
 * = pool show
 * More about it: a paragraph, which goes on
 *  in lines that begin with one blank.
 * see pool idle, pool inuse, help formats
 * exit 4 what status 4 means of this command
 *   pool show
 *     what it prints
 * </pre>
 *
 * <p>Commands of an example are indented by two blanks, what they print by four.
 */
public final class HelpGuide {
    private static final String TEXT = "guide.txt";
    private static final Map<String, Entry> ENTRIES = read();
    private static final Map<String, String> TOPICS = allTopics();

    /** What a command has in the guide; details and example are as they are printed. */
    record Entry(List<String> details, List<String> see, Map<String, String> exits, List<String> example) {
        private Entry() {
            this(new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>(), new ArrayList<>());
        }

        /** Leaves the blank line off that parts it from the next one. */
        private void end() {
            if (!example.isEmpty() && example.get(example.size() - 1).isEmpty()) {
                example.remove(example.size() - 1);
            }
        }

        private void add(String line) {
            if (line.startsWith("see ")) {
                see.addAll(List.of(line.substring(4).split(", ")));
            } else if (line.startsWith("exit ")) {
                String[] exit = line.substring(5).split(" ", 2);
                exits.put(exit[0], exit[1]);
            } else if (see.isEmpty() && line.matches(" \\S.*")) {
                details.add(details.remove(details.size() - 1) + line);
            } else if (see.isEmpty()) {
                details.add(line);
            } else if (line.isEmpty() || line.startsWith("  ")) {
                example.add(line);
            } else {
                throw new IllegalStateException(TEXT + ": what is '" + line + "'?");
            }
        }
    }

    private HelpGuide() {}

    /** By command, such as {@code pool show}. */
    static Map<String, Entry> entries() {
        return ENTRIES;
    }

    private static Map<String, String> allTopics() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("formats", "table, wide, vertical, csv, json, yaml, name; which columns, sorted how; again and again");
        all.put("pipes", "filters behind a command, and files");
        all.put("runbooks", "files of commands, and of what to expect of them");
        all.put("exit-codes", "what the exit status says");
        all.put("permissions", "who may look and who may change, and how to be safe");
        return all;
    }

    /** What help has to say of more than one command: the topics by name, with a line on each. */
    public static Map<String, String> topics() {
        return TOPICS;
    }

    /** The text of a topic, if there is one of this name. */
    static Optional<List<String>> topic(String name, RenderContext look) {
        return TOPICS.containsKey(name)
                ? Optional.of(text("topic-" + name + ".txt").stream()
                        .flatMap(line -> line.equals("@filters") ? filters(look).stream() : Stream.of(line))
                        .toList())
                : Optional.empty();
    }

    /** What may stand behind a command, from the filters' own descriptions. */
    private static List<String> filters(RenderContext look) {
        Table table = Table.details();
        for (CommandLine filter : Filter.models().values()) {
            UsageMessageSpec usage = filter.getCommandSpec().usageMessage();
            table.row(new Table.Cell("  | " + usage.customSynopsis()[0], Tone.HEAD), usage.description()[0]);
        }
        table.row(new Table.Cell("  > FILE", Tone.HEAD), "Into a file, in place of what is in it.");
        table.row(new Table.Cell("  >> FILE", Tone.HEAD), "Behind what is in the file.");
        return table.lines(look);
    }

    /** A root with its help completed, in the session's colours. */
    public static CommandLine configured(CommandLine root, Session session) {
        root.setColorScheme(
                Help.defaultColorScheme(session.screen().outPalette() == Palette.COLOUR ? Ansi.ON : Ansi.OFF));
        teach(root);
        return root;
    }

    /** Adds what there is to the help of a command and of all below it. */
    public static void teach(CommandLine command) {
        String name = Grammar.nameOf(command.getCommandSpec());
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        Optional.ofNullable(ENTRIES.get(name)).ifPresent(entry -> teach(usage, entry));
        if (usage.footer().length > 0) {
            usage.footerHeading("%nExample:%n");
            command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, help -> unbroken(usage.footer()));
        }
        command.getSubcommands().values().forEach(HelpGuide::teach);
    }

    private static void teach(UsageMessageSpec usage, Entry entry) {
        usage.description(Stream.concat(
                        Stream.of(usage.description()), entry.details.stream().map(HelpGuide::literal))
                .toArray(String[]::new));
        List<String> footer = new ArrayList<>();
        entry.example.forEach(line -> footer.add(literal(line)));
        if (!entry.see.isEmpty()) {
            footer.add("");
            footer.add("See also: " + String.join(", ", entry.see));
        }
        usage.footer(footer.toArray(String[]::new));
        if (!entry.exits.isEmpty()) {
            usage.exitCodeListHeading("%nExit status:%n").exitCodeList(entry.exits);
        }
    }

    /** The lines as they are: picocli would break those of a table where its own text ends. */
    private static String unbroken(String[] footer) {
        return Stream.of(footer)
                .map(line -> String.format(Locale.ROOT, line) + System.lineSeparator())
                .collect(Collectors.joining());
    }

    /** picocli formats what it prints, and fills in variables. */
    private static String literal(String line) {
        return Palette.clean(line).replace("%", "%%").replace("${", "$${");
    }

    private static Map<String, Entry> read() {
        Map<String, Entry> entries = new LinkedHashMap<>();
        Entry entry = new Entry();
        for (String line : text(TEXT)) {
            if (line.startsWith("= ")) {
                entry.end();
                entry = new Entry();
                if (entries.put(line.substring(2), entry) != null) {
                    throw new IllegalStateException(TEXT + " has two entries of " + line.substring(2));
                }
            } else if (!line.startsWith("#")) {
                entry.add(line);
            }
        }
        return entries;
    }

    private static List<String> text(String resource) {
        return ShippedText.of(HelpGuide.class, resource).lines().toList();
    }
}
