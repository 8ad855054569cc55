package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.runbook.RunbookHeader;
import io.enipam.shell.runbook.RunbookLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The runbooks that come with the shell, and those of the examples, are ones, by this shell's grammar. */
class ShippedRunbooksTest {
    private static final Path FILES = Path.of("src/main/resources/io/enipam/shell/runbooks");

    @TempDir
    Path directory;

    private TestShell.Result run(String... args) {
        return new TestShell(directory, directory).run(args);
    }

    static List<String> shipped() {
        return RunbookLibrary.names();
    }

    static List<Path> examples() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("../plugins-examples"), 2)) {
            return files.filter(file -> file.toString().endsWith(".runbook"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyFileIsListedAndNamedAfterItself() throws IOException {
        try (Stream<Path> files = Files.list(FILES)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".runbook"))
                            .map(name -> name.replace(".runbook", "")))
                    .containsExactlyInAnyOrderElementsOf(RunbookLibrary.names());
        }
        assertThat(RunbookLibrary.names())
                .allSatisfy(name -> assertThat(RunbookLibrary.header(RunbookLibrary.required(name))
                                .name())
                        .isEqualTo(name));
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void aShippedOneIsRightAndSaysWhatItIsFor(String name) {
        RunbookHeader header = RunbookLibrary.header(RunbookLibrary.required(name));

        assertThat(run("runbook", "check", name)).satisfies(result -> {
            assertThat(result.err()).isEmpty();
            assertThat(result.status()).isZero();
        });
        assertThat(header.description()).endsWith(".");
        assertThat(header.needs()).isPresent();
        assertThat(header.parameters())
                .allSatisfy(parameter -> assertThat(parameter.doc()).isNotBlank());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void thoseOfTheExamplesAreRight(Path example) {
        // commands of the plugin itself only a daemon knows that has it
        String noun = example.getParent().getFileName().toString().replace("-", "");

        assertThat(run("runbook", "check", example.toString()).err().lines())
                .filteredOn(line -> line.startsWith(example.toString()))
                .filteredOn(line -> !line.endsWith(": unknown command '" + noun + "'. See 'help'"))
                .isEmpty();
    }

    @Test
    void theLibraryIsListedShownAndFoundByName() throws IOException {
        assertThat(run("runbook", "list").out()).contains("fix-leaks", "control", "recover-throttling");
        assertThat(run("runbook", "show", "fix-leaks").out())
                .isEqualTo(Files.readString(FILES.resolve("fix-leaks.runbook")));
        assertThat(run("run", "fix-leaks", "--dry-run").out()).contains("yes      pool sync", "nothing was run");
        assertThat(run("run", "fix-leak").err())
                .isEqualTo(
                        "enipam: run failed: the library has no 'fix-leak'; did you mean 'fix-leaks'? Name a runbook: a"
                                + " file, or one of 'runbook list'\n");
        assertThat(run("runbook", "show", "../x").status()).isEqualTo(2);
    }
}
