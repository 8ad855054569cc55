package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jline.builtins.ScreenTerminal;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard on a pseudo-terminal, and a bundle of a daemon that was given secrets; one daemon for all of them. */
class TopIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** A variable's value that is a pod's name as well, so that it is in much of what is collected. */
    private static final String SECRET_VARIABLE = "planted-in-the-environment";

    private static final String CTRL_C = "\u0003";
    private static final String SCREEN_TAKEN = "\u001b[?1049h";
    private static final String SCREEN_BACK = "\u001b[?1049l";
    private static final String CURSOR_BACK = "\u001b[?25h";

    @TempDir
    static Path scratch;

    private static ProgramRunner programs;

    @AutoClose
    private static RestartableDaemon daemon;

    @BeforeAll
    static void start() throws IOException {
        programs = new ProgramRunner(scratch);
        Path root = Files.createDirectory(scratch.resolve("root"));
        Files.writeString(
                Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json"),
                "{\"version\":\"1\",\"credential_path\":\"\",\"access_key\":\"LTAI5tPlantedInTheConfig\","
                        + "\"access_secret\":\"planted-in-the-config\"}");
        daemon = new RestartableDaemon(programs, root, scratch.resolve("daemon.log"), "--emulate");
        daemon.start();
        daemon.awaitReady();
    }

    @Test
    void topFillsTheScreenHearsKeysFollowsAResizeOutlivesTheDaemonAndLeavesTheScreenAsItWas() throws Exception {
        try (PseudoTerminal terminal = open(80, 24, "top", "-d", "0.5")) {
            awaitScreen(terminal, 0, 80, 24, "POOL", "CALLS", "q leaves");

            terminal.type("?");
            awaitScreen(terminal, 0, 80, 24, "let the picture stand still");
            terminal.type("?p");
            awaitScreen(terminal, 0, 80, 24, "PAUSED", "POOL");
            terminal.type("p");

            int before = terminal.raw().length();
            terminal.resize(200, 50);
            awaitScreen(terminal, before, 200, 50, "POOL", "API BUDGET", "EVENTS", "q leaves");
            assertThat(rows(terminal.raw().substring(before), 200, 50))
                    .as("the width is used")
                    .anySatisfy(row -> assertThat(row.stripTrailing().length()).isGreaterThan(100));

            daemon.kill();
            awaitScreen(terminal, before, 200, 50, "AWAY", "reconnecting");
            daemon.start();
            daemon.awaitReady();
            awaitScreen(terminal, before, 200, 50, "READY", "POOL");

            terminal.type("q");
            assertThat(terminal.exit()).isZero();
            screenIsBack(terminal);
        }
    }

    @Test
    void ctrlCEndsTopAndGivesTheScreenBack() throws Exception {
        try (PseudoTerminal terminal = open(80, 24, "top")) {
            awaitScreen(terminal, 0, 80, 24, "q leaves");
            terminal.type(CTRL_C);
            assertThat(terminal.exit()).isEqualTo(130);
            screenIsBack(terminal);
        }
    }

    @Test
    void aSignalEndsTopAndGivesTheScreenBack() throws Exception {
        try (PseudoTerminal terminal = open(80, 24, "top")) {
            awaitScreen(terminal, 0, 80, 24, "q leaves");
            ProcessHandle.of(terminal.pid()).orElseThrow().destroy();
            Awaitility.await().atMost(PATIENCE).until(() -> !terminal.running());
            screenIsBack(terminal);
        }
    }

    @Test
    void aSignalWhileSomebodyReadsInThePagerGivesTheScreenBack() throws Exception {
        try (PseudoTerminal terminal = open(80, 24)) {
            terminal.await(")> ");
            terminal.type("help\r");
            terminal.await("q quits");
            ProcessHandle.of(terminal.pid()).orElseThrow().destroy();
            Awaitility.await().atMost(PATIENCE).until(() -> !terminal.running());
            Awaitility.await("the screen is as it was").atMost(PATIENCE).untilAsserted(() -> {
                String all = terminal.raw();
                assertThat(all.substring(all.lastIndexOf(SCREEN_TAKEN)))
                        .contains(SCREEN_BACK)
                        .doesNotContain("Exception", "a bug of the shell");
            });
        }
    }

    @Test
    void afterTopThePromptIsAsItWas() throws Exception {
        try (PseudoTerminal terminal = open(120, 40)) {
            terminal.await(")> ");
            terminal.type("top\r");
            awaitScreen(terminal, 0, 120, 40, "POOL", "q leaves");
            terminal.type("q");
            screenIsBack(terminal);
            int after = terminal.raw().lastIndexOf(SCREEN_BACK);
            awaitScreen(terminal, after, 120, 40, ")> ");
            terminal.type("version\r");
            awaitScreen(terminal, after, 120, 40, "enipamd");
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }

    @Test
    void aBundleHasAllThatIsToBeSeenAndNoneOfTheSecretsThatWereGiven() throws Exception {
        Path archive = scratch.resolve("bundle.tgz");

        ProgramRunner.Result made = programs.runIn(
                scratch,
                Map.of("CI_DEPLOY_TOKEN", SECRET_VARIABLE),
                ProgramRunner.shell(),
                "--socket",
                daemon.socket().toString(),
                "-c",
                "cni add --pod default/web-0 --timeout 60s; cni add --pod default/" + SECRET_VARIABLE
                        + " --timeout 60s; support-bundle " + archive + " --timeout 60s");

        assertThat(made.err()).isEmpty();
        assertThat(made.status()).isZero();
        Map<String, String> files = unpacked(archive);
        assertThat(files)
                .allSatisfy((file, text) -> assertThat(text)
                        .doesNotContain("planted-in-the-config")
                        .doesNotContain("LTAI5tPlantedInTheConfig")
                        .doesNotContain(SECRET_VARIABLE));
        JsonNode leases = new ObjectMapper().readTree(files.get("commands/pool-inuse.json"));
        assertThat(leases.findValuesAsText("pod")).contains("default/web-0", "default/***");
        assertThat(files.get("commands/log-limit-0.txt")).isNotBlank();
        assertThat(files.get("commands/config-show.txt"))
                .as("the secrets were read")
                .contains("access_secret", "eni.json");
        assertThat(files.get("report.html")).contains("enipam on");
        assertThat(files).containsKeys("stories/findings.txt", "stories/failures.txt");
    }

    /** The files of a bundle, as the system's tar finds them, each by its path within the bundle. */
    private static Map<String, String> unpacked(Path archive) throws IOException {
        Path unpacked = Files.createDirectory(scratch.resolve("unpacked"));
        ProgramRunner.Result tar =
                programs.run(Path.of("/bin/tar"), "-xzf", archive.toString(), "-C", unpacked.toString());
        assertThat(tar.status()).as(tar.toString()).isZero();
        Map<String, String> files = new HashMap<>();
        try (Stream<Path> all = Files.walk(unpacked)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                Path inside = unpacked.relativize(file);
                files.put(
                        inside.subpath(1, inside.getNameCount()).toString(),
                        Files.readString(file, StandardCharsets.UTF_8));
            }
        }
        return files;
    }

    private static PseudoTerminal open(int columns, int rows, String... words) throws IOException {
        String[] command = Stream.concat(
                        Stream.of(
                                ProgramRunner.shell().toString(),
                                "--socket",
                                daemon.socket().toString()),
                        Stream.of(words))
                .toArray(String[]::new);
        return PseudoTerminal.run(columns, rows, programs.environment(), command);
    }

    /** What ended may have said more than was read by then. */
    private static void screenIsBack(PseudoTerminal terminal) {
        Awaitility.await("the screen is as it was").atMost(PATIENCE).untilAsserted(() -> {
            String all = terminal.raw();
            assertThat(all.substring(all.lastIndexOf(SCREEN_TAKEN)))
                    .contains(SCREEN_BACK, CURSOR_BACK)
                    .doesNotContain("Exception", "a bug of the shell", "cannot be read");
        });
    }

    /** Waits until what came from an offset on, on a screen of that size, shows all of these. */
    private static void awaitScreen(PseudoTerminal terminal, int from, int columns, int rows, String... texts) {
        Awaitility.await(String.join(", ", texts))
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .untilAsserted(() -> assertThat(
                                String.join("\n", rows(terminal.raw().substring(from), columns, rows)))
                        .contains(texts));
    }

    private static List<String> rows(String bytes, int columns, int rows) {
        ScreenTerminal screen = new ScreenTerminal(columns, rows);
        screen.write(bytes);
        return screen.toString().lines().limit(rows).toList();
    }
}
