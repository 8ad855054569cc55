package io.enipam.shell.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.shell.ShellMain;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The daemon that lives and dies with the shell: a script in enipamd's place, real processes, real sockets. */
@Timeout(120)
class SandboxTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path home;

    private Path scratch;
    private Path launcher;

    @BeforeEach
    void home() throws IOException {
        scratch = Files.createDirectory(home.resolve("scratch"));
        launcher = Files.createDirectories(home.resolve("runtime/bin")).resolve("enipamd");
        daemonIs("exec '" + java() + "' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
                + System.getProperty("java.class.path") + "' io.enipam.shell.FakeEnipamd \"$@\"");
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Puts a script in enipamd's place; it writes its process id to the file {@code pid} first. */
    private void daemonIs(String script) throws IOException {
        Files.writeString(launcher, "#!/bin/sh\necho $$ >'" + home + "/pid'\n" + script + "\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    private void assertNothingIsLeft() throws IOException {
        await().atMost(LONG).untilAsserted(() -> {
            assertThat(alive()).isFalse();
            try (Stream<Path> files = Files.list(scratch)) {
                assertThat(files)
                        .noneMatch(file -> file.getFileName().toString().startsWith("enipam-"));
            }
        });
    }

    private boolean alive() throws IOException {
        return pid() != 0 && ProcessHandle.of(pid()).map(ProcessHandle::isAlive).orElse(false);
    }

    private long pid() throws IOException {
        Path file = home.resolve("pid");
        String text = Files.exists(file) ? Files.readString(file).strip() : "";
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    @Test
    void servesInAPrivateDirectoryAndLeavesNothing() throws IOException {
        try (Sandbox sandbox = Sandbox.start(launcher, List.of(), scratch, LONG)) {
            assertThat(alive()).isTrue();
            assertThat(sandbox.socket().startsWith(scratch.toRealPath())).isTrue();
            assertThat(Files.getPosixFilePermissions(
                            sandbox.socket().getParent().getParent()))
                    .hasSize(3);
        }
        assertThat(alive()).isFalse();
        assertNothingIsLeft();
    }

    @Test
    void aDaemonThatEndsAtOnceIsQuoted() throws IOException {
        daemonIs("echo 'pool.min_idle is 9 and pool.max_idle is 2' >&2; exit 2");

        assertThatThrownBy(() -> Sandbox.start(launcher, List.of(), scratch, LONG))
                .isInstanceOf(ShellException.class)
                .hasMessage("the daemon ended with status 2; its last words: "
                        + "pool.min_idle is 9 and pool.max_idle is 2");
        assertNothingIsLeft();
    }

    @Test
    void aDaemonThatNeverServesIsGivenUp() throws IOException {
        daemonIs("echo thinking; cat");

        assertThatThrownBy(() -> Sandbox.start(launcher, List.of(), scratch, Duration.ofSeconds(5)))
                .isInstanceOf(ShellException.class)
                .hasMessageContaining("does not serve after 5 s; its last words: thinking");
        assertNothingIsLeft();
    }

    @Test
    void aDaemonThatDoesNotWantToGoIsKilled() throws IOException {
        daemonIs("trap '' TERM; while :; do sleep 1; done");

        assertThatThrownBy(() -> Sandbox.start(launcher, List.of(), scratch, Duration.ofSeconds(1)))
                .isInstanceOf(ShellException.class);
        assertNothingIsLeft();
    }

    @Test
    void aDirectoryTooDeepForASocketIsRefusedAndRemoved() throws IOException {
        Path deep = Files.createDirectory(scratch.resolve("x".repeat(110)));

        assertThatThrownBy(() -> Sandbox.start(launcher, List.of(), deep, LONG))
                .isInstanceOfSatisfying(
                        ShellException.class, e -> assertThat(e.exit()).isEqualTo(ExitStatus.NOT_ATTACHED))
                .hasMessageContaining("at most 107");
        assertThat(deep).isEmptyDirectory();
    }

    @Test
    void aLauncherThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> Sandbox.start(home.resolve("none"), List.of(), scratch, LONG))
                .isInstanceOf(ShellException.class)
                .hasMessageContaining("there is no program " + home.resolve("none"));
    }

    @Test
    void aRunInASandboxAnswersAndLeavesNothing() throws Exception {
        Process shell = shell("-c", "pool inuse -o json");
        String out = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(shell.waitFor()).isZero();
        assertThat(out).startsWith("{\n  \"leases\": [{");
        assertNothingIsLeft();
    }

    @Test
    void pluginsAndFilesReachTheDaemonAndAPathMayHaveBlanks() throws Exception {
        Path jar = Files.createFile(home.resolve("my plugin.jar"));
        Path config = Files.createFile(home.resolve("enipam.yaml"));
        daemonIs("printf '%s\\n' \"$@\" >'" + home + "/words'; exit 7");

        Process shell = shell("--plugin", jar.toString(), "--plugin", jar.toString(), "--config", config.toString());

        assertThat(shell.waitFor()).isEqualTo(3);
        assertThat(Files.readString(home.resolve("words")))
                .endsWith("--ephemeral\n--plugin\n" + jar + "\n--plugin\n" + jar + "\n--config\n" + config + "\n");
        assertNothingIsLeft();
    }

    @Test
    void theRoleReachesTheDaemon() throws Exception {
        daemonIs("printf '%s\\n' \"$@\" >'" + home + "/words'; exit 7");

        Process shell = shell("--role", "cluster");

        assertThat(shell.waitFor()).isEqualTo(3);
        assertThat(Files.readString(home.resolve("words"))).endsWith("--ephemeral\n--role\ncluster\n");
        assertNothingIsLeft();
    }

    @Test
    void aCommandThatIsNoneIsToldBeforeADaemonStarts() throws Exception {
        for (List<String> args : List.of(
                List.of("stauts"),
                List.of("-c", "status; stauts"),
                List.of("-c", "status 'open"),
                List.of("plugin", "run", "a", "b", "c"))) {
            Process shell = shell(args.toArray(String[]::new));

            assertThat(shell.waitFor()).as(args.toString()).isEqualTo(2);
            assertThat(Files.readString(home.resolve("stderr"))).contains("enipam: ");
        }
        assertThat(home.resolve("pid")).doesNotExist();
    }

    @Test
    void aRunbookIsCheckedBeforeADaemonStartsAndThenRunOnIt() throws Exception {
        Path file = Files.writeString(home.resolve("demo"), "status\nstauts\n");
        Process broken = shell("run", file.toString());

        assertThat(broken.waitFor()).isEqualTo(2);
        assertThat(Files.readString(home.resolve("stderr"))).contains(file + ":2:1: unknown command 'stauts'");
        assertThat(home.resolve("pid")).doesNotExist();

        Files.writeString(file, "expect pool show | grep ${policy}\n");
        Process mended = shell("run", file.toString(), "-v", "policy=watermark");

        assertThat(mended.waitFor()).isZero();
        assertThat(home.resolve("pid")).exists();
        assertNothingIsLeft();
    }

    @Test
    void sigtermTakesTheSandboxAlong() throws Exception {
        Process shell = following();

        shell.destroy();

        assertThat(shell.waitFor()).isEqualTo(143);
        // a later JDK may have warned there, of flags that only the launcher gives
        assertThat(Files.readString(home.resolve("stderr"))).doesNotContain("enipam:");
        assertNothingIsLeft();
    }

    @Test
    void sigkillTakesTheSandboxAlongToo() throws Exception {
        Process shell = following();

        shell.destroyForcibly();

        assertThat(shell.waitFor()).isEqualTo(137);
        assertNothingIsLeft();
    }

    private Process following() throws IOException {
        Process shell = shell("-c", "events -f");
        assertThat(shell.inputReader().readLine()).contains("LEASE_GRANTED");
        return shell;
    }

    /** The shell as a process of its own, in a sandbox. */
    private Process shell(String... args) throws IOException {
        List<String> command = Stream.concat(
                        Stream.of(
                                java(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Denipam.home=" + home,
                                "-Djava.io.tmpdir=" + scratch,
                                "-cp",
                                System.getProperty("java.class.path"),
                                ShellMain.class.getName(),
                                "--sandbox"),
                        Stream.of(args))
                .toList();
        return new ProcessBuilder(command)
                .redirectError(new File(home.toFile(), "stderr"))
                .start();
    }
}
