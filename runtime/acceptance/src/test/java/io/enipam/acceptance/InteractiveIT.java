package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code enipam --sandbox} on a pseudo-terminal: typing, TAB, Ctrl-C, Ctrl-D, signals. */
class InteractiveIT extends SandboxFixture {
    /** How every prompt ends: what stands before is the daemon's state, which changes. */
    private static final String PROMPT = ")> ";

    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";

    @AfterEach
    @Override
    void nothingIsLeftBehind() {
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(programs.leftProcesses()).isEmpty();
            assertThat(programs.leftFiles().stream()
                            .filter(file -> !file.toString().contains("history")))
                    .isEmpty();
        });
    }

    @Test
    void aFirstLook() throws Exception {
        try (PseudoTerminal terminal = open()) {
            terminal.type("cni add --pod default/web-0\r");
            terminal.await("took");
            terminal.await(PROMPT);
            awaitPrompt(terminal, " 1 used" + PROMPT);
            terminal.type("pool inuse\r");
            terminal.await("IN_USE");
            terminal.await(PROMPT);
            terminal.type("cni del --pod default/web-0\r");
            terminal.await(PROMPT);
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }

    @Test
    void tabCompletesCommandsOptionsAndLivePods() throws Exception {
        try (PseudoTerminal terminal = open()) {
            terminal.type("cni add --pod default/web-0\r");
            terminal.await("took");
            terminal.await(PROMPT);
            terminal.type("vers\t");
            terminal.await("version");
            terminal.type("\r");
            terminal.await(PROMPT);
            terminal.type("pod show def");
            terminal.complete("default/web-0");
            terminal.type("\r");
            terminal.await("10.0.0.");
            terminal.await(PROMPT);
            terminal.type(CTRL_D);
            assertThat(terminal.exit()).isZero();
        }
    }

    @Test
    void ctrlCEndsTheCommandThatRunsAndTwiceOnAnEmptyLineTheShell() throws Exception {
        try (PseudoTerminal terminal = open()) {
            terminal.type("events -f\r");
            terminal.await("EngineReady");
            terminal.type(CTRL_C);
            terminal.await(PROMPT);
            terminal.type("pool show\r");
            terminal.await("capacity");
            terminal.await(PROMPT);
            terminal.type(CTRL_C);
            terminal.await("Ctrl-C again");
            terminal.await(PROMPT);
            terminal.type(CTRL_C);
            if (!terminal.ends(Duration.ofSeconds(20))) {
                // a busy machine let more than two seconds pass: that one was the first again
                terminal.type(CTRL_C);
                terminal.await("Ctrl-C again");
                terminal.type(CTRL_C);
            }
            assertThat(terminal.exit()).isZero();
        }
    }

    @Test
    void sigtermTakesTheSandboxAlong() throws Exception {
        try (PseudoTerminal terminal = open()) {
            ProcessHandle.of(terminal.pid()).orElseThrow().destroy();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !terminal.running());
        }
    }

    @Test
    void killNineTakesTheSandboxAlong() throws Exception {
        try (PseudoTerminal terminal = open()) {
            ProcessHandle.of(terminal.pid()).orElseThrow().destroyForcibly();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !terminal.running());
            // closing the terminal would kill whoever is left of its process group, the daemon in its last breath too
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> programs.leftProcesses().isEmpty());
        }
    }

    private PseudoTerminal open() throws IOException {
        PseudoTerminal terminal =
                PseudoTerminal.run(programs.environment(), ProgramRunner.shell().toString(), "--sandbox");
        terminal.await("enipam(sandbox ");
        // how many addresses there are by now is the machine's matter
        assertThat(terminal.await(PROMPT)).matches("[A-Z]+ \\d+ idle \\d+ used\\)> ");
        return terminal;
    }

    /** A prompt that is redrawn is only drawn where it has changed: an empty line brings a whole one. */
    private static void awaitPrompt(PseudoTerminal terminal, String end) {
        Awaitility.await(end).atMost(Duration.ofSeconds(60)).until(() -> {
            terminal.type("\r");
            return terminal.await(PROMPT).endsWith(end);
        });
    }
}
