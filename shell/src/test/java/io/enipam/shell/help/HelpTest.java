package io.enipam.shell.help;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.CommandTree;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.Session.TerminalSize;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.shell.pipe.CommandRunner.ParsedCommand;
import io.enipam.shell.pipe.Pipeline;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** That help teaches: of each command its use, an example that the grammar takes, its output, and where to look next. */
class HelpTest {
    private static final int WIDTH = 100;
    private static final ByteArrayOutputStream PRINTED = new ByteArrayOutputStream();
    private static final PrintStream OUT = new PrintStream(PRINTED, true, StandardCharsets.UTF_8);
    private static final Session SESSION = session();
    private static final Map<String, CommandLine> GRAMMAR = Grammar.leaves(CommandTree.all(SESSION));

    private static Session session() {
        return Session.detached(
                new SessionOutput(OUT, OUT, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                InstantSource.system(),
                ZoneOffset.UTC);
    }

    static List<String> commands() {
        return List.copyOf(grammar().keySet());
    }

    private static Map<String, CommandLine> grammar() {
        return GRAMMAR;
    }

    private static String printed(String line) {
        PRINTED.reset();
        assertThat(new CommandRunner(SESSION).line(line)).as(line).isEqualTo(ExitStatus.DONE.status());
        return PRINTED.toString(StandardCharsets.UTF_8);
    }

    /** That of a sandbox is known only when its daemon runs, and what is typed is checked before. */
    @Test
    void theHelpOfAPluginsCommandIsNoTypingErrorWhereNoDaemonHasSaidWhatItIs() {
        assertThat(new CommandRunner(SESSION).check("help swarm service create"))
                .isEqualTo(ExitStatus.DONE.status());
        assertThat(new CommandRunner(SESSION).check("help pol show")).isEqualTo(ExitStatus.USAGE.status());
        assertThat(new CommandRunner(SESSION).check("help pool shwo")).isEqualTo(ExitStatus.USAGE.status());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandSaysWhatItIsForAndShowsAnExampleThatWorks(String name) {
        CommandLine command = grammar().get(name);
        String[] description = command.getCommandSpec().usageMessage().description();
        List<String> footer =
                Arrays.asList(command.getCommandSpec().usageMessage().footer());
        String todo = "'" + name + "' has no %s. Its place is guide.txt beside the class HelpGuide, as of:\n= " + name
                + "\nsee pool show, help formats\n  " + name + "\n    what it prints\n";

        assertThat(description)
                .as(todo, "description (that is in its @Command)")
                .isNotEmpty();
        assertThat(description[0]).isNotBlank();
        assertThat(command.getUsageMessage(Ansi.OFF)).startsWith("Usage: enipam " + name);
        assertThat(HelpGuide.entries()).as(todo, "entry").containsKey(name);
        assertThat(HelpGuide.entries().get(name).see())
                .as(todo, "related commands")
                .isNotEmpty()
                .allSatisfy(this::isThere);
        List<String> examples = examples(footer);
        assertThat(examples).as(todo, "example").isNotEmpty().allSatisfy(HelpTest::parses);
        assertThat(examples).anyMatch(example -> (example + " ").startsWith(name + " "));
        assertThat(footer.stream()
                        .takeWhile(line -> !line.startsWith("See also: "))
                        .filter(line -> !line.isBlank()))
                .as(todo, "output of its example")
                .hasSizeGreaterThan(examples.size());
    }

    /** The commands of an example: indented by two, up to a blank line; a remark may stand behind three blanks. */
    private static List<String> examples(List<String> footer) {
        return footer.stream()
                .takeWhile(line -> !line.isBlank())
                .filter(HelpTest::isCommand)
                .map(line -> line.strip().replace("%%", "%").split(" {3,}")[0])
                .toList();
    }

    private static boolean isCommand(String line) {
        return line.matches(" {2}\\S.*");
    }

    private static void parses(String example) {
        try {
            for (Pipeline pipeline : Pipeline.parse(example)) {
                ParsedCommand.of(SESSION, pipeline.command());
            }
        } catch (ShellException e) {
            throw new AssertionError("the grammar does not take '" + example + "': " + e.getMessage(), e);
        }
    }

    private void isThere(String related) {
        boolean topic = related.startsWith("help ") && HelpGuide.topics().containsKey(related.substring(5));
        assertThat(topic || grammar().containsKey(related)).as(related).isTrue();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpAndTheOptionSayTheSameInLinesThatFit(String name) {
        String said = printed("help " + name);

        assertThat(printed(name + " --help")).isEqualTo(said);
        assertThat(said.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
    }

    @Test
    void soItIsWithTheWordsBeforeTheLast() {
        for (String group : List.of("pool", "plugin swap", "cloud fault")) {
            assertThat(printed(group + " --help"))
                    .isEqualTo(printed("help " + group))
                    .contains("Commands:");
        }
    }

    @Test
    void theOverviewNamesEachCommandOnceByPurpose() {
        List<String> lines = printed("help").lines().toList();

        for (String name : commands()) {
            assertThat(lines)
                    .as(name)
                    .filteredOn(line -> line.startsWith("  " + name + "  "))
                    .hasSize(1);
        }
        assertThat(lines).contains("Look", "Change", "The database", "Plugins", "Runbooks", "This shell", "More");
        assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
    }

    @Test
    void onANarrowTerminalNothingOfItIsBeyondTheEdge() {
        SESSION.size(() -> Optional.of(new TerminalSize(80, 24)));
        try {
            List<String> lines = new ArrayList<>(printed("help").lines().toList());
            for (String topic : HelpGuide.topics().keySet()) {
                lines.addAll(printed("help " + topic).lines().toList());
            }
            assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        } finally {
            SESSION.size(Optional::empty);
        }
    }

    static Stream<String> topics() {
        return HelpGuide.topics().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("topics")
    void aTopicHasExamplesThatWork(String topic) {
        List<String> lines = printed("help " + topic).lines().toList();

        List<String> examples = new ArrayList<>(lines.subList(lines.indexOf("Examples:") + 1, lines.size()));
        assertThat(lines).contains("Examples:");
        assertThat(examples(examples)).isNotEmpty().allSatisfy(HelpTest::parses);
        assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
        lines.stream()
                .filter(line -> line.startsWith("See also: "))
                .flatMap(line -> Stream.of(line.substring("See also: ".length()).split(", ")))
                .forEach(this::isThere);
    }

    @Test
    void theTopicOnExitCodesKnowsAllOfThem() {
        String text = printed("help exit-codes");

        assertThat(Stream.of(ExitStatus.values()).map(exit -> "  " + exit.status() + " "))
                .allSatisfy(status -> assertThat(text).contains(status));
    }

    @Test
    void nothingIsSaidOfACommandThatDoesNotExist() {
        assertThat(HelpGuide.entries().keySet().stream()
                        .filter(name -> !grammar().containsKey(name))
                        .collect(Collectors.toList()))
                .as("entries of guide.txt without a command")
                .isEmpty();
    }
}
