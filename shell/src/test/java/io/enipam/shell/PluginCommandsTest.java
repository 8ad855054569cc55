package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.enipam.grammar.ReservedWords;
import io.enipam.shell.help.HelpGuide;
import io.enipam.v1.CommandArgument;
import io.enipam.v1.CommandLine;
import io.enipam.v1.FollowCommandReply;
import io.enipam.v1.FollowCommandRequest;
import io.enipam.v1.ListCommandsReply;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.RunCommandReply;
import io.enipam.v1.RunCommandRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands that plugins of the daemon bring, beside those of the shell. */
class PluginCommandsTest extends AttachedShell {
    @BeforeEach
    void plugins() {
        daemon.answer(ListCommandsRequest.class, CannedCommands.ALL);
        daemon.answer(RunCommandRequest.class, CannedCommands.RANGES);
    }

    @Test
    void aTableIsPrintedSortedAndFilteredAsThatOfABuiltInCommand() {
        assertThat(run("hostlocal ranges").out()).isEqualTo("RANGE        IN USE\n10.0.1.0/24  9\n10.0.0.0/24  12\n");
        assertThat(run("hostlocal ranges --sort-by range --columns in-use").out())
                .isEqualTo("IN USE\n12\n9\n");
        assertThat(run("hostlocal ranges | grep 12").out()).isEqualTo("10.0.0.0/24  12\n");
        assertThat(run("hostlocal ranges -o name").out()).isEqualTo("10.0.1.0/24\n10.0.0.0/24\n");
        assertThat(run("hostlocal ranges | jq '.rows[0].cells[1]'").out()).contains("9");
        assertThat(JsonParser.parseString(run("hostlocal ranges -o json").out())
                        .getAsJsonObject()
                        .get("columns")
                        .toString())
                .isEqualTo("[\"RANGE\",\"IN USE\"]");
        assertThat(run("hostlocal ranges --columns nosuch").err()).contains("unknown column 'nosuch'");
    }

    /** The daemon has one command, which goes on with {@code --only-free}. */
    private void offersOneThatFollows() {
        PluginCommand ranges = CannedCommands.ALL.getCommands(0);
        daemon.answer(
                ListCommandsRequest.class,
                ListCommandsReply.newBuilder()
                        .addCommands(ranges.toBuilder().setFollow("only_free"))
                        .build());
    }

    @Test
    void aCommandThatFollowsPrintsLinesOrJsonToItsEndAndIsNotForRunbooks() {
        offersOneThatFollows();
        daemon.answer(
                FollowCommandRequest.class,
                FollowCommandReply.newBuilder()
                        .addLines(CommandLine.newBuilder()
                                .setText("10.0.0.0/24 is full\u001b[2J")
                                .setJson("{\"range\": \"10.0.0.0/24\", \"at\": 1767323045000000001}")
                                .setPlace("r-1"))
                        .addLines(CommandLine.newBuilder().setText("no more"))
                        .build());

        assertThat(run("hostlocal ranges -f").out()).isEqualTo("10.0.0.0/24 is full" + cleaned() + "\nno more\n");
        assertThat(run("hostlocal ranges --only-free -o json").out())
                .isEqualTo("{\"range\":\"10.0.0.0/24\",\"at\":1767323045000000001}\n{\"text\":\"no more\"}\n");
        assertThat(run("hostlocal ranges -f -o yaml").out()).contains("---\nrange: \"10.0.0.0/24\"");
        assertThat(run("hostlocal ranges -f | head -n 1").out()).startsWith("10.0.0.0/24 is full");
        assertThat(run("hostlocal ranges -f --columns range").err()).contains("--columns");
        FollowCommandRequest asked = received(FollowCommandRequest.class).get(0);
        assertThat(asked.getCommand().getArgumentsList()).containsExactly(argument("only_free", "true"));
        assertThat(received(RunCommandRequest.class)).isEmpty();
    }

    @Test
    void aCommandThatCanFollowAnswersOnceWithoutTheFlag() throws IOException {
        offersOneThatFollows();
        Path once = Files.writeString(directory.resolve("once.runbook"), "hostlocal ranges\n");
        Path follows = Files.writeString(directory.resolve("follows.runbook"), "hostlocal ranges -f\n");

        assertThat(run("hostlocal ranges").out()).contains("10.0.1.0/24  9");
        assertThat(run("run " + once).out()).contains("10.0.1.0/24  9", "1 step done");
        assertThat(run("run " + follows).err())
                .contains("not for a runbook: hostlocal ranges --only-free ends only at");
    }

    @Test
    void whatIsTypedArrivesByName() {
        run("hostlocal ranges --above 5 --only-free --order=size");
        run("hostlocal range note 10.0.0.0/24 two words");

        List<RunCommandRequest> asked = received(RunCommandRequest.class);
        assertThat(asked.get(0).getPathList()).containsExactly("hostlocal", "ranges");
        assertThat(asked.get(0).getArgumentsList())
                .containsExactly(argument("above", "5"), argument("only_free", "true"), argument("order", "size"));
        assertThat(asked.get(1).getArgumentsList())
                .containsExactly(argument("range", "10.0.0.0/24"), argument("words", "two", "words"));
        assertThat(run("hostlocal release").status()).isEqualTo(2);
        assertThat(run("hostlocal ranges --nosuch").err()).contains("unknown option '--nosuch'");
        assertThat(received(RunCommandRequest.class)).hasSize(2);
    }

    @Test
    void anOptionThatNamesAFileHasTheTextWrittenThereAndTheDaemonNamesNone() throws IOException {
        Path page = directory.resolve("map.html");
        Files.writeString(page, "an older one");
        PluginCommand ranges = CannedCommands.ALL.getCommands(0);
        daemon.answer(
                ListCommandsRequest.class,
                ListCommandsReply.newBuilder()
                        .addCommands(ranges.toBuilder().setFile("above"))
                        .build());
        daemon.answer(
                RunCommandRequest.class,
                RunCommandReply.newBuilder().setText("<html>\u001b</html>").build());

        assertThat(run("hostlocal ranges --above " + page).out()).isEqualTo("written to " + page + "\n");
        assertThat(page).hasContent("<html>\u001b</html>\n");
        assertThat(run("hostlocal ranges --above " + page + " -o name").out()).isEqualTo(page + "\n");
        assertThat(run("hostlocal ranges").out()).contains("<html>");
        assertThat(run("hostlocal ranges --above " + directory).err()).contains("it is a directory");
    }

    @Test
    void whatCannotBeUndoneIsPreviewedAndAskedForFirst() {
        daemon.answer(
                RunCommandRequest.class,
                RunCommandReply.newBuilder()
                        .setText("would give back 10.0.0.5\u001b[2J")
                        .build());

        assertThat(run("hostlocal release 10.0.0.5").err()).contains("Add --yes");
        assertThat(received(RunCommandRequest.class)).isEmpty();
        TestShell.Result declined = asked("n", "hostlocal", "release", "10.0.0.5");
        assertThat(declined.err())
                .isEqualTo("would give back 10.0.0.5?[2J\nhostlocal release: do it? [y/N] ".replace("?[2J", cleaned()));
        assertThat(received(RunCommandRequest.class)).allMatch(RunCommandRequest::getDryRun);
        assertThat(run("hostlocal release 10.0.0.5 --yes").status()).isEqualTo(0);
        assertThat(received(RunCommandRequest.class)).anyMatch(request -> !request.getDryRun());
    }

    private static String cleaned() {
        return io.enipam.shell.core.Palette.clean("\u001b[2J");
    }

    @Test
    void aReadOnlyShellSendsNoChange() {
        for (String line : List.of("hostlocal range note a b", "hostlocal release 10.0.0.5 --yes")) {
            assertThat(program("--read-only", "-c", line).err()).contains("this shell is read-only");
        }
        for (String line : List.of("hostlocal ranges", "hostlocal release 10.0.0.5 --dry-run")) {
            assertThat(program("--read-only", "-c", line).status()).isEqualTo(0);
        }
        assertThat(received(RunCommandRequest.class))
                .extracting(RunCommandRequest::getDryRun)
                .containsExactly(false, true);
    }

    @Test
    void helpHasThemAmongItsOwn() {
        assertThat(run("help").out()).contains("Plugins\n").contains("  hostlocal range note ");
        assertThat(run("help hostlocal ranges").out())
                .contains("How full each range is.")
                .contains("--above=VALUE")
                .contains("Leave out ranges with 100% ${more}. (a whole");
        assertThat(run("plugin help host-local").out())
                .contains("Usage: enipam hostlocal ranges")
                .contains("Usage: enipam hostlocal release")
                .contains("--dry-run");
        assertThat(run("plugin help host-local -o name").out())
                .isEqualTo("hostlocal ranges\nhostlocal range note\nhostlocal release\n");
        assertThat(run("hostlocal").err()).contains("hostlocal takes ranges, range, release");
    }

    @Test
    void aCommandThatHasNoPlaceInThisShellIsPassedOver() {
        PluginCommand.Builder evil = CannedCommands.ALL.getCommands(0).toBuilder();
        daemon.answer(
                ListCommandsRequest.class,
                CannedCommands.ALL.toBuilder()
                        .addCommands(evil.clone().clearPath().addPath("pool").addPath("show"))
                        .addCommands(
                                evil.clone().clearPath().addPath("x\u001b[2J").addPath("y"))
                        .addCommands(evil.clone().clearPath().addPath("alone"))
                        .addCommands(evil.clone()
                                .clearPath()
                                .addPath("clash")
                                .addPath("x")
                                .addOptions(evil.getOptions(0).toBuilder()
                                        .setSetting(evil.getOptions(0).getSetting().toBuilder()
                                                .setName("output"))))
                        .build());

        assertThat(run("help").out()).contains("hostlocal ranges").doesNotContain("alone", "clash", "\u001b");
        assertThat(run("pool show").out()).doesNotContain("RANGE");
        assertThat(run("hostlocal ranges").status()).isEqualTo(0);
    }

    @Test
    void theShellsOwnCommandsAskForNone() {
        run("pool show");

        assertThat(received(ListCommandsRequest.class)).isEmpty();
    }

    @Test
    void anUnknownWordIsATypingErrorWhereNoPluginHasIt() {
        assertThat(run("nosuch thing").err()).contains("unknown command 'nosuch'");
        daemon.answer(ListCommandsRequest.class, ListCommandsReply.getDefaultInstance());
        assertThat(run("hostlocal ranges").err()).contains("unknown command 'hostlocal'");
    }

    @Test
    void theReservedWordsAreThoseOfTheShell() {
        Set<String> words = new TreeSet<>(HelpGuide.topics().keySet());
        words.addAll(CommandTree.words());

        assertThat(new TreeSet<>(ReservedWords.ALL)).containsExactlyElementsOf(words);
    }

    private static CommandArgument argument(String name, String... values) {
        return CommandArgument.newBuilder()
                .setName(name)
                .addAllValues(List.of(values))
                .build();
    }
}
