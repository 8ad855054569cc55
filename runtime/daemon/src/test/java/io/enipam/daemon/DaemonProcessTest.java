package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.DaemonProgram;
import io.enipam.daemon.testing.FakeDaemonProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the process ends: exit codes, signals, the end of standard input. */
class DaemonProcessTest {
    private final List<Process> processes = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void kill() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void aTerminatedDaemonCleansUpAndHasSucceeded() throws Exception {
        Path root = directory.resolve("root");
        Process daemon = serving(root, "--log-format", "json");

        daemon.destroy();

        assertThat(exitCode(daemon)).isZero();
        assertThat(root.resolve("run/enipam.sock")).doesNotExist();
        assertThat(Files.readAllLines(log(daemon)))
                .isNotEmpty()
                .allMatch(line -> line.startsWith("{") && line.endsWith("}"))
                .anyMatch(line -> line.contains("serving on"));
    }

    @Test
    void theEndOfStandardInputEndsAnEphemeralDaemonAndItsDirectory() throws Exception {
        Path root = directory.resolve("root");
        Process daemon = serving(root, "--ephemeral");

        daemon.getOutputStream().close();

        assertThat(exitCode(daemon)).isZero();
        assertThat(root).doesNotExist();
    }

    @Test
    void aDirectoryWithNothingButTheDaemonsOwnLogIsRemovedToo() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        Path log = root.resolve("enipamd.log");
        Process daemon = start(root, log, "--ephemeral");
        await().atMost(Duration.ofSeconds(60)).until(() -> Files.readString(log).contains("serving on"));

        daemon.getOutputStream().close();

        assertThat(exitCode(daemon)).isZero();
        assertThat(root).doesNotExist();
    }

    @Test
    void aSignalEndsAnEphemeralDaemonAndItsDirectory() throws Exception {
        Path root = directory.resolve("root");
        Process daemon = serving(root, "--ephemeral");

        daemon.destroy();

        assertThat(exitCode(daemon)).isZero();
        assertThat(root).doesNotExist();
    }

    @Test
    void aSecondDaemonEndsWithCode1AndOneLineThatNamesTheFirst() throws Exception {
        Path root = directory.resolve("root");
        Process first = serving(root);
        Process second = start(root);

        assertThat(exitCode(second)).isEqualTo(1);
        assertThat(log(second))
                .hasContent("enipamd: " + root + " is in use by enipamd with pid " + first.pid()
                        + "; stop it, or choose another --root");
    }

    @Test
    void aKilledDaemonDoesNotKeepTheNextOneFromStarting() throws Exception {
        Path root = directory.resolve("root");
        Process killed = serving(root);
        killed.destroyForcibly().waitFor();
        assertThat(root.resolve("run/enipam.sock")).exists();

        Process next = start(root);

        await().atMost(Duration.ofSeconds(60))
                .until(() -> Files.readString(log(next)).contains("serving on"));
        next.destroy();
        assertThat(exitCode(next)).isZero();
    }

    private Process serving(Path root, String... options) throws IOException {
        Process daemon = start(root, options);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Files.readString(log(daemon)).contains("serving on"));
        return daemon;
    }

    private Process start(Path root, String... options) throws IOException {
        return start(root, directory.resolve("err-" + processes.size()), options);
    }

    private Process start(Path root, Path log, String... options) throws IOException {
        Process process = new ProcessBuilder(DaemonProgram.command(FakeDaemonProgram.class, root, options))
                .redirectError(log.toFile())
                .redirectOutput(directory.resolve("out-" + processes.size()).toFile())
                .start();
        processes.add(process);
        return process;
    }

    private Path log(Process process) {
        return directory.resolve("err-" + processes.indexOf(process));
    }

    private static int exitCode(Process process) throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }
}
