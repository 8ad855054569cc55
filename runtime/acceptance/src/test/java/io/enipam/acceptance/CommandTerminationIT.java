package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.testing.TestThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a command ends that is not let finish: by Ctrl-C, by the daemon's death, by a no. One daemon for all of them. */
class CommandTerminationIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PROMPT = ")> ";
    private static final String CTRL_C = "\u0003";

    /** How many addresses the smallest instance has for pods. */
    private static final int CAPACITY = 6;

    private static final int MEMBERS_GROUP = 54_321;
    private static final int SOMEBODY = 54_322;

    @TempDir
    static Path scratch;

    private static ProgramRunner programs;
    private static AttachedShell shell;

    @AutoClose
    private static RestartableDaemon daemon;

    private static boolean ownGroups;

    @BeforeAll
    static void start() throws IOException {
        programs = new ProgramRunner(scratch);
        // JUnit's directory is for its owner alone; who is refused here shall be refused by the daemon
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path root = Files.createDirectory(scratch.resolve("root"));
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                "emulator:\n  instance_type: ecs.g6.large\n");
        daemon = new RestartableDaemon(programs, withAGroup(), root, scratch.resolve("daemon.log"), "--emulate");
        daemon.start();
        daemon.awaitReady();
        shell = new AttachedShell(daemon.socket(), scratch);
    }

    /** A daemon on a host that has the group enipam, if this one lets it have files of its own; else the plain daemon. */
    private static Path withAGroup() throws IOException {
        Path group = scratch.resolve("group");
        Files.writeString(group, Files.readString(Path.of("/etc/group")) + "enipam:x:" + MEMBERS_GROUP + ":\n");
        String bound = "mount --bind " + group + " /etc/group";
        ownGroups = programs.run(
                                Path.of("/bin/sh"),
                                "-c",
                                "unshare --mount sh -c '" + bound + "' && " + as(SOMEBODY) + " " + ProgramRunner.shell()
                                        + " --version")
                        .status()
                == 0;
        if (!ownGroups) {
            return ProgramRunner.daemon();
        }
        Path launcher = scratch.resolve("enipamd");
        Files.writeString(
                launcher,
                "#!/bin/sh\nexec unshare --mount sh -c '" + bound + "; exec " + ProgramRunner.daemon()
                        + " \"$@\"' sh \"$@\"\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        return launcher;
    }

    /** What runs a program as somebody who can read every file, as the libraries of a build, and write none. */
    private static String as(int group) {
        return "setpriv --reuid=" + SOMEBODY + " --regid=" + group
                + " --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search";
    }

    private static ProgramRunner.Result attachedAs(int group, String line) {
        List<String> words = new ArrayList<>(List.of(as(group).split(" ")));
        words.remove(0);
        words.addAll(List.of(
                ProgramRunner.shell().toString(), "--socket", daemon.socket().toString(), "-c", line));
        return programs.run(Path.of("/usr/bin/setpriv"), words.toArray(String[]::new));
    }

    @Test
    void ctrlCInTheMiddleOfAStreamIsStatus130AndNoWordMore() throws Exception {
        try (PseudoTerminal terminal = open("events", "-f")) {
            terminal.await("EngineReady");
            terminal.type(CTRL_C);

            assertThat(terminal.exit()).isEqualTo(130);
            assertThat(terminal.plain()).doesNotContain(" failed: ", "Exception");
        }
    }

    @Test
    void aRunbookThatCtrlCEndsInTheMiddleOfARetryHasWrittenItsReport() throws Exception {
        Path report = scratch.resolve("report.xml");
        try (PseudoTerminal terminal = open(
                "run",
                "-c",
                "retry 1h: expect status | jq .phase == NEVER",
                "-o",
                "junit",
                "--to",
                report.toString())) {
            terminal.await("enipam> retry 1h");
            terminal.type(CTRL_C);

            assertThat(terminal.exit()).isEqualTo(130);
        }
        assertThat(report).content().contains("type=\"interrupted\"", "</testsuites>");
    }

    @Test
    void whoFollowsIsToldOfAKillGoesOnWithTheNextDaemonAndThePromptIsThereAfterCtrlC() throws Exception {
        try (PseudoTerminal terminal = open()) {
            terminal.await(PROMPT);
            terminal.type("events -f\r");
            terminal.await("EngineReady");
            daemon.kill();
            terminal.await("events: the daemon went away; it is waited for, Ctrl-C ends");
            daemon.start();
            terminal.await("events: the daemon is back");
            terminal.await("daemon restarted (crash)");
            terminal.await("EngineReady");
            daemon.awaitReady();
            terminal.type(CTRL_C);
            terminal.await(PROMPT);

            terminal.type("pool show\r");
            terminal.await("watermark");
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }

    @Test
    void aCallThatTheDaemonsDeathCutsIsStatus3InOneLineThatSaysWhatToDo() throws Exception {
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(shell.run("-c", "cni add --pod default/p" + i + " --timeout 60s")
                            .status())
                    .isZero();
        }
        CompletableFuture<ProgramRunner.Result> waiting = CompletableFuture.supplyAsync(
                () -> programs.enipam(
                        "--socket",
                        daemon.socket().toString(),
                        "cni",
                        "add",
                        "--pod",
                        "default/late",
                        "--timeout",
                        "10m"),
                TestThreads.PER_TASK);
        Awaitility.await("the ADD waits for an address")
                .atMost(PATIENCE)
                .until(() -> shell.run("pool", "show", "-o", "json").out().contains("\"waiting\": 1"));

        daemon.kill();

        ProgramRunner.Result cut = waiting.join();
        assertThat(cut.status()).isEqualTo(3);
        assertThat(cut.out()).isEmpty();
        assertThat(cut.err())
                .hasLineCount(1)
                .startsWith("enipam: cni add failed: the daemon on " + daemon.socket() + " went away: ")
                .contains("Is enipamd running? Look at its log, then try again");
        daemon.start();
        daemon.awaitReady();
    }

    @Test
    void aMemberOfTheGroupMaySeeAndMayNotChange() {
        Assumptions.assumeTrue(ownGroups, "needs root, with the right to mount and to become somebody else");

        ProgramRunner.Result look = attachedAs(MEMBERS_GROUP, "pool show");
        ProgramRunner.Result change = attachedAs(MEMBERS_GROUP, "gc run");

        assertThat(look.status()).as(look.err()).isZero();
        assertThat(look.out()).contains("capacity");
        assertThat(change.status()).isEqualTo(1);
        assertThat(change.out()).isEmpty();
        assertThat(change.err())
                .hasLineCount(1)
                .isEqualTo("enipam: gc run failed: user id " + SOMEBODY
                        + " may not call enipam.v1.Control/RunGc (PERMISSION_DENIED)."
                        + " Root and the daemon's user may do everything, members of group enipam may inspect\n");
    }

    @Test
    void aStrangerIsRefusedBeforeTheDaemonHearsOfHim() {
        Assumptions.assumeTrue(ownGroups, "needs root, with the right to mount and to become somebody else");

        ProgramRunner.Result look = attachedAs(SOMEBODY, "pool show");

        assertThat(look.status()).isEqualTo(3);
        assertThat(look.out()).isEmpty();
        assertThat(look.err())
                .hasLineCount(1)
                .isEqualTo("enipam: pool show failed: permission denied on " + daemon.socket()
                        + ". Use sudo, or let an administrator add you to the group enipam\n");
    }

    private static PseudoTerminal open(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProgramRunner.shell().toString(), "--socket", daemon.socket().toString()));
        command.addAll(List.of(words));
        return PseudoTerminal.run(programs.environment(), command.toArray(String[]::new));
    }
}
