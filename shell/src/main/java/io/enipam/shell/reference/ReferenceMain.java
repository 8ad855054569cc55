package io.enipam.shell.reference;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.shell.CommandTree;
import io.enipam.shell.ShellProgram;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.ShippedText;
import io.enipam.shell.help.HelpGuide;
import io.enipam.shell.runbook.RunbookLibrary;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Writes manual pages, {@code completion/enipam.bash} and {@code completion/_enipam} into a directory, beside pages of
 * others.
 */
public final class ReferenceMain {
    private ReferenceMain() {}

    /** @param args the directory, and directories with a {@code man8} whose pages shall lie beside the shell's */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        write(directory);
        for (String pages : List.of(args).subList(1, args.length)) {
            putBeside(directory.resolve("man/man8"), Path.of(pages, "man8"));
        }
    }

    private static void putBeside(Path section, Path pages) throws IOException {
        Files.createDirectories(section);
        try (DirectoryStream<Path> each = Files.newDirectoryStream(pages, "*.8")) {
            for (Path page : each) {
                Files.copy(page, section.resolve(page.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    static void write(Path directory) throws IOException {
        CommandLine program = ShellProgram.options();
        CommandLine grammar = grammar();
        Path man = Files.createDirectories(directory.resolve("man/man1"));
        put(man.resolve("enipam.1"), ManPage.ofProgram(program, grammar));
        for (Map.Entry<String, CommandLine> command : Grammar.leaves(grammar).entrySet()) {
            String page = "enipam-" + command.getKey().replace(' ', '-');
            put(man.resolve(page + ".1"), ManPage.ofCommand(page, command.getKey(), command.getValue()));
        }
        Path completion = Files.createDirectories(directory.resolve("completion"));
        String script = BashCompletion.of(program, grammar);
        put(completion.resolve("enipam.bash"), script);
        put(
                completion.resolve("_enipam"),
                "#compdef enipam\nautoload -Uz bashcompinit && bashcompinit\n" + script + "_bash_complete \"$@\"\n");
    }

    private static void put(Path file, String text) throws IOException {
        Files.writeString(file, text, UTF_8);
    }

    /** All commands as a model to write a reference from. None of them can be run. */
    static CommandLine grammar() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
        Session session = Session.detached(
                new SessionOutput(nowhere, nowhere, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                InstantSource.system(),
                ZoneOffset.UTC);
        return CommandTree.all(session);
    }

    /**
     * The completion of bash and zsh: a script with commands, options and fixed values. It asks the daemon for pods, ENIs
     * and plugins, and kubectl for nodes, each for a moment.
     */
    static final class BashCompletion {
        /** Which command lists what a value may be; all others complete from what is fixed. */
        private static final Map<CompletionKind, String> LISTED_BY = Map.of(
                CompletionKind.PODS, "pod list -o name",
                CompletionKind.ENIS, "eni list -o name",
                CompletionKind.PLUGINS, "plugin list -o name");

        /** What takes nodes of a cluster, which no daemon knows. */
        private static final Set<String> NODES = Set.of("--node", "--nodes");

        private final StringBuilder words = new StringBuilder();
        private final StringBuilder values = new StringBuilder();
        private final StringBuilder positionals = new StringBuilder();
        private final String commands;

        private BashCompletion(CommandLine grammar) {
            commands = Stream.concat(grammar.getSubcommands().keySet().stream(), HelpGuide.topics().keySet().stream())
                    .collect(Collectors.joining(" "));
        }

        /** The script for the options before the command, and the commands. */
        static String of(CommandLine program, CommandLine grammar) {
            BashCompletion completion = new BashCompletion(grammar);
            completion.options("", program);
            completion.command("", grammar);
            return ShippedText.of(BashCompletion.class, "completion.bash")
                    .replace("@words@", completion.words)
                    .replace("@values@", completion.values)
                    .replace("@positionals@", completion.positionals);
        }

        private void command(String name, CommandLine command) {
            if (!command.getSubcommands().isEmpty()) {
                String below = String.join(" ", command.getSubcommands().keySet());
                line(words, name.isEmpty() ? "-" : name, below);
            }
            if (!name.isEmpty()) {
                options(name, command);
                for (PositionalParamSpec positional : command.getCommandSpec().positionalParameters()) {
                    int last = Math.min(
                            positional.index().max(), positional.index().min() + 3);
                    for (int at = positional.index().min(); at <= last; at++) {
                        line(positionals, name + " " + at, taken(positional));
                    }
                }
            }
            command.getSubcommands()
                    .forEach((word, below) -> command(name.isEmpty() ? word : name + " " + word, below));
        }

        private void options(String name, CommandLine command) {
            List<String> names = new ArrayList<>();
            for (OptionSpec option : command.getCommandSpec().options()) {
                if (option.hidden()) {
                    continue;
                }
                names.addAll(List.of(option.names()));
                // a value that may be left out stands behind '=' alone, and the next word is none
                if (option.arity().min() > 0) {
                    for (String each : option.names()) {
                        line(values, name + " " + each, taken(option));
                    }
                }
            }
            line(words, (name.isEmpty() ? "-" : name) + " -", String.join(" ", names));
        }

        /** What the script offers for a value; nothing if it may be anything. */
        private String taken(ArgSpec argument) {
            if (argument.completionCandidates() != null) {
                return String.join(" ", argument.completionCandidates());
            }
            if (argument instanceof OptionSpec option && NODES.contains(option.longestName())) {
                return "@nodes";
            }
            Optional<CompletionKind> kind = Grammar.live(argument);
            if (kind.isPresent() && LISTED_BY.containsKey(kind.get())) {
                return "@" + LISTED_BY.get(kind.get());
            }
            if (kind.isPresent() && kind.get() == CompletionKind.COMMANDS) {
                return commands;
            }
            if (kind.isPresent() && kind.get() == CompletionKind.RUNBOOKS) {
                return "@files " + String.join(" ", RunbookLibrary.names());
            }
            return kind.filter(CompletionKind.FILES::equals).isPresent()
                            || java.nio.file.Path.class.isAssignableFrom(argument.auxiliaryTypes()[0])
                    ? "@files"
                    : "";
        }

        private static void line(StringBuilder cases, String pattern, String answer) {
            cases.append("    '")
                    .append(pattern.replace("'", "'\\''"))
                    .append("') echo '")
                    .append(answer.replace("'", "'\\''"))
                    .append("' ;;\n");
        }
    }

    /** A manual page in roff's man macros, which every man understands. */
    static final class ManPage {
        private final StringBuilder page = new StringBuilder();

        private ManPage(String name) {
            page.append(".\\\" made from the grammar of the shell\n.TH ")
                    .append(quoted(name.toUpperCase(java.util.Locale.ROOT)))
                    .append(" 1 \"\" \"enipam\" \"User Commands\"\n.nh\n.ad l\n");
        }

        static String ofProgram(CommandLine program, CommandLine grammar) {
            UsageMessageSpec usage = program.getCommandSpec().usageMessage();
            ManPage man = new ManPage("enipam");
            man.section("NAME").text("enipam - look into the ENI IPAM of a node, and change it");
            man.section("SYNOPSIS").literal(List.of(usage.customSynopsis()));
            man.section("DESCRIPTION").paragraphs(usage.description());
            man.options(program);
            man.section("COMMANDS");
            for (Map.Entry<String, CommandLine> command :
                    Grammar.leaves(grammar).entrySet()) {
                String[] description =
                        command.getValue().getCommandSpec().usageMessage().description();
                man.item(command.getKey(), List.of(first(description)));
            }
            man.text("Each has a page of its own, as enipam-pool-show(1). In the shell: help pool show");
            man.section("COMMANDS OF PLUGINS")
                    .text(
                            "A plugin whose extension runs brings commands of its own, under a noun of its own. They are not"
                                    + " among these pages, since each daemon has others: in the shell, help lists them, plugin"
                                    + " help shows how each is used, and plugin help ID those of one plugin. TAB completes them,"
                                    + " in bash and zsh as long as the daemon answers.");
            man.section("NOTES").paragraphs(usage.footer());
            man.section("SEE ALSO")
                    .text("enipamd(8), enipam-cloud(8); in the shell: help "
                            + String.join(", help ", HelpGuide.topics().keySet()));
            return man.page.toString();
        }

        /** The page of one command, such as {@code enipam-pool-show} for {@code pool show}. */
        static String ofCommand(String page, String name, CommandLine command) {
            UsageMessageSpec usage = command.getCommandSpec().usageMessage();
            ManPage man = new ManPage(page);
            man.section("NAME").text(page + " - " + first(usage.description()));
            String synopsis = command.getHelp().synopsis(0);
            man.section("SYNOPSIS")
                    .literal(synopsis.lines().map(String::stripTrailing).toList());
            man.section("DESCRIPTION").paragraphs(usage.description());
            man.options(command);
            if (!usage.exitCodeList().isEmpty()) {
                man.section("EXIT STATUS");
                usage.exitCodeList().forEach((status, meaning) -> man.item(status, List.of(meaning)));
            }
            List<String> example = new ArrayList<>();
            String see = "";
            for (String line : usage.footer()) {
                if (line.startsWith("See also: ")) {
                    see = line.substring("See also: ".length());
                } else {
                    example.add(plain(line));
                }
            }
            man.section("EXAMPLE").literal(example);
            man.section("SEE ALSO").text(String.join(", ", pages(see)));
            return man.page.toString();
        }

        /** Commands have pages, topics of the shell's help have none. */
        private static List<String> pages(String see) {
            List<String> pages = new ArrayList<>(List.of("enipam(1)"));
            for (String related : see.isEmpty() ? new String[0] : see.split(", ")) {
                boolean topic = related.startsWith("help ");
                pages.add(topic ? "in the shell: " + related : "enipam-" + related.replace(' ', '-') + "(1)");
            }
            return pages;
        }

        private void options(CommandLine command) {
            section("OPTIONS");
            for (PositionalParamSpec positional : command.getCommandSpec().positionalParameters()) {
                if (!positional.hidden()) {
                    item(positional.paramLabel(), described(positional));
                }
            }
            for (OptionSpec option : command.getCommandSpec().options()) {
                if (!option.hidden()) {
                    String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
                    item(String.join(", ", option.names()) + value, described(option));
                }
            }
        }

        /** With what variables in it stand for. */
        private static List<String> described(ArgSpec argument) {
            String candidates =
                    argument.completionCandidates() == null ? "" : String.join(", ", argument.completionCandidates());
            return Stream.of(argument.description())
                    .map(line -> plain(line.replace("${COMPLETION-CANDIDATES}", candidates)
                            .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValueString()))))
                    .toList();
        }

        /** A text of picocli without its escapes and its markup. */
        private static String plain(String line) {
            return Ansi.OFF.string(line.replace("$${", "${").replace("%%", "%"));
        }

        private ManPage section(String title) {
            page.append(".SH ").append(quoted(title)).append('\n');
            return this;
        }

        private ManPage text(String text) {
            page.append(escaped(text)).append('\n');
            return this;
        }

        /** Lines that are one text; a blank one is between paragraphs, an indented one stays as it is. */
        private void paragraphs(String[] lines) {
            for (String line : lines) {
                String plain = plain(line);
                if (plain.isBlank()) {
                    page.append(".PP\n");
                } else if (plain.startsWith(" ")) {
                    literal(List.of(plain));
                } else {
                    text(plain);
                }
            }
        }

        private void item(String name, List<String> description) {
            page.append(".TP\n.B ").append(escaped(name)).append('\n');
            (description.isEmpty() ? List.of("") : description).forEach(this::text);
        }

        private void literal(List<String> lines) {
            page.append(".nf\n");
            lines.forEach(this::text);
            page.append(".fi\n");
        }

        private static String first(String[] description) {
            return description.length == 0 ? "" : Ansi.OFF.string(description[0]);
        }

        private static String quoted(String text) {
            return '"' + text.replace("\"", "\"\"") + '"';
        }

        /** A backslash begins a request inside a line, a point or a quote one at its start, and a bare hyphen is no minus. */
        private static String escaped(String text) {
            String escaped = text.replace("\\", "\\e").replace("-", "\\-");
            return escaped.isEmpty()
                    ? "\\&"
                    : escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
        }
    }
}
