package io.enipam.shell.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.CommandTree;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.pipe.CommandRunner.ParsedCommand;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.pipe.PipelineExecution;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the doctor advises to type has to run: the daemon writes it, and this shell reads it. */
class DoctorAdviceTest {
    private static final PrintStream NOWHERE = new PrintStream(PrintStream.nullOutputStream());
    private static final Session SESSION = Session.detached(
            new SessionOutput(NOWHERE, NOWHERE, Palette.PLAIN, Palette.PLAIN, false),
            OutputFormat.TABLE,
            CommandTree::of,
            InstantSource.system(),
            ZoneOffset.UTC);
    private static final List<String> DOCUMENTS = List.of(
            "README.md",
            "shell/README.md",
            "sdk/README.md",
            "runtime/emulator/README.md",
            "runtime/docs/operations.md",
            "runtime/docs/recovery.md",
            "runtime/docs/cluster.md");
    /** The filters with which an advice goes on behind a bar. */
    private static final Pattern PIPED = Pattern.compile("([a-z]+ [a-z]+) \\| ([a-z]+)( '[^']*'| [a-z]+)?");

    private static List<String> fixes() throws IOException {
        // an item that is too long for a line goes on behind two blanks
        return Files.readString(Path.of("../runtime/docs/doctor.md"))
                .replace("\n  ", " ")
                .lines()
                .filter(line -> line.startsWith("- Fix: "))
                .map(line -> line.substring("- Fix: ".length()))
                .toList();
    }

    /** Parts of it that are nothing but words of the grammar, from the first on. */
    private static Stream<String> commands(String fix) {
        Stream<String> plain = Stream.of(fix.split("[;,:()]"))
                .map(String::strip)
                .filter(part -> part.matches("(ecs|eni|pool|db|gc|cni|doctor|plugin|config) .*"))
                .filter(part -> !part.contains("|"))
                .map(part -> part.replaceAll(" (says|tells|takes|writes|opens|names|to|ends|if|or) .*", ""));
        return Stream.concat(plain, PIPED.matcher(fix).results().map(MatchResult::group));
    }

    @Test
    void everyCommandOfAnAdviceIsOneThatThisShellTakes() throws IOException {
        List<String> commands =
                fixes().stream().flatMap(DoctorAdviceTest::commands).toList();

        assertThat(commands).contains("config show | grep 'access|credential'", "ecs calls --failed", "pool sync");
        assertThat(commands).allSatisfy(DoctorAdviceTest::parses);
    }

    /** What a document shows at the shell's prompt, or behind {@code -c} or the program's name on one line. */
    private static final Pattern SHOWN = Pattern.compile(
            "(?m)^(?:enipam(?:\\([^)]*\\))?> (.+)|\\$ (?:shell/bin/)?enipam (?:--sandbox )?(?:-c '([^'\n]+)'|([a-z][^#\n]*)))$");

    @Test
    void everyCommandThatADocumentShowsIsOneThatThisShellTakes() throws IOException {
        List<String> commands = new ArrayList<>();
        for (String document : DOCUMENTS) {
            SHOWN.matcher(Files.readString(Path.of("..", document)))
                    .results()
                    .forEach(shown -> commands.add(Stream.of(shown.group(1), shown.group(2), shown.group(3))
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElseThrow()));
        }

        assertThat(commands)
                .contains("cni add --pod default/web-0", "gc run --dry-run", "trace default/b", "pool sync");
        assertThat(commands).hasSizeGreaterThan(40).allSatisfy(DoctorAdviceTest::parses);
    }

    private static void parses(String command) {
        try {
            for (Pipeline pipeline : Pipeline.parse(command)) {
                ParsedCommand.of(SESSION, pipeline.command());
                new PipelineExecution(pipeline, NOWHERE, false, () -> {}).close();
            }
        } catch (ShellException e) {
            throw new AssertionError("'" + command + "' does not run: " + e.sentence(), e);
        }
    }
}
