package io.enipam.shell.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Flow;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.render.Palette;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the doctor advises to type has to run: the daemon writes it, and this shell reads it. */
class DoctorAdviceTest {
    private static final PrintStream NOWHERE = new PrintStream(PrintStream.nullOutputStream());
    private static final Session SESSION = new Session(
            new Screen(NOWHERE, NOWHERE, Palette.PLAIN, Palette.PLAIN, false),
            OutputFormat.TABLE,
            () -> {
                throw new AssertionError("nobody is to be asked");
            },
            InstantSource.system(),
            ZoneOffset.UTC);
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
    void every_command_of_an_advice_is_one_that_this_shell_takes() throws IOException {
        List<String> commands =
                fixes().stream().flatMap(DoctorAdviceTest::commands).toList();

        assertThat(commands).contains("config show | grep 'access|credential'", "ecs calls --failed", "pool sync");
        assertThat(commands).allSatisfy(DoctorAdviceTest::parses);
    }

    private static void parses(String command) {
        try {
            for (Pipeline pipeline : Pipeline.parse(command)) {
                Parsed.of(SESSION, pipeline.command());
                new Flow(pipeline, NOWHERE, false, () -> {}).close();
            }
        } catch (ShellException e) {
            throw new AssertionError("'" + command + "' does not run: " + e.sentence(), e);
        }
    }
}
