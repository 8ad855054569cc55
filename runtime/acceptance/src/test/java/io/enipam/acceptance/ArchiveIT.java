package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs as this build made them have their class-data archives in memory. */
class ArchiveIT {
    @TempDir
    Path scratch;

    @BeforeEach
    void aBuildWithArchives() {
        assumeFalse("true".equals(System.getProperty("exec.skip")), "this build was told to make no archives");
    }

    @Test
    void theShellRunsFromItsArchive() {
        Process shell = new ProgramRunner(scratch).start(ProgramRunner.shell());
        try {
            assertUses(shell, "shell/target/archive/");
        } finally {
            shell.destroyForcibly();
        }
    }

    @Test
    void theDaemonRunsFromItsArchive() throws Exception {
        Path log = scratch.resolve("enipamd.log");
        Process daemon = new ProgramRunner(scratch)
                .startLogged(
                        log,
                        Map.of(),
                        ProgramRunner.daemon(),
                        "--root",
                        scratch.resolve("root").toString(),
                        "--emulate",
                        "--ephemeral");
        try {
            assertUses(daemon, "runtime/daemon/target/archive/");
        } finally {
            daemon.getOutputStream().close();
            daemon.waitFor();
        }
        assertThat(Files.readString(log)).doesNotContain("[cds]", "shared class", "archive");
    }

    @Test
    void theReferenceLiesBesideIt() {
        Path target = Project.root().resolve("shell/target");

        assertThat(target.resolve("man/man1/enipam.1")).isNotEmptyFile();
        assertThat(target.resolve("man/man1/enipam-pool-show.1")).isNotEmptyFile();
        assertThat(target.resolve("completion/enipam.bash")).isNotEmptyFile();
        assertThat(target.resolve("completion/_enipam")).isNotEmptyFile();
    }

    private static void assertUses(Process process, String archives) {
        String directory = Project.root().resolve(archives).toString();
        Awaitility.await("a mapping of a file in " + directory)
                .atMost(Duration.ofSeconds(60))
                .until(() -> !process.isAlive() || maps(process).anyMatch(line -> line.contains(directory)));
        assertThat(process.isAlive()).isTrue();
    }

    private static Stream<String> maps(Process process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/maps")).lines();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }
}
