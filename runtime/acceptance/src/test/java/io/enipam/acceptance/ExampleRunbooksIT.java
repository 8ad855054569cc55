package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
    /** Those for a daemon of role cluster, whose sandbox brings the settings by itself. */
    private static final Set<String> OF_CLUSTER = Set.of("swarm");

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
        String plugin = directory.resolve("target/plugin").toString();
        String settings = directory.resolve("demo.yaml").toString();
        List<String> words = new ArrayList<>(
                OF_CLUSTER.contains(example)
                        ? List.of("--sandbox", "--role", "cluster")
                        : List.of("--sandbox", "--plugin", plugin, "--config", settings));
        words.addAll(List.of("run", directory.resolve("demo.runbook").toString()));

        ProgramRunner.Result run = programs.enipam(words.toArray(String[]::new));

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(directory.resolve("README.md"))
                .content()
                .contains("demo.runbook", "demo.yaml", OF_CLUSTER.contains(example) ? "--role cluster" : "--plugin");
    }
}
