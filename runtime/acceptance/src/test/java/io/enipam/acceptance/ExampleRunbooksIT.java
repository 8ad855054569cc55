package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each example's own runbook, in the sandbox that its README starts. */
@Execution(ExecutionMode.CONCURRENT)
class ExampleRunbooksIT {
    @TempDir
    Path scratch;

    private ProgramRunner programs;

    @BeforeEach
    void prepare() throws IOException {
        programs = new ProgramRunner(scratch);
    }

    static Stream<String> examples() throws IOException {
        try (Stream<Path> files = Files.list(Project.root().resolve("plugins-examples"))) {
            return files
                    .filter(directory -> Files.exists(directory.resolve("demo.runbook")))
                    .map(directory -> directory.getFileName().toString())
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void doesWhatItSays(String example) {
        Path directory = Project.root().resolve("plugins-examples").resolve(example);

        ProgramRunner.Result run = programs.enipam(
                "--sandbox",
                "--plugin",
                directory.resolve("target/plugin").toString(),
                "--config",
                directory.resolve("demo.yaml").toString(),
                "run",
                directory.resolve("demo.runbook").toString());

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(directory.resolve("README.md")).content().contains("demo.runbook", "--plugin", "demo.yaml");
    }
}
