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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jline.builtins.ScreenTerminal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard on a pseudo-terminal, and a bundle of a daemon that was given secrets. */
class TopIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String CTRL_C = "\u0003";
    private static final String SCREEN_BACK = "\u001b[?1049l";
    private static final String CURSOR_BACK = "\u001b[?25h";

    @TempDir
    Path scratch;

    private Programs programs;
    private Path root;
    private @Nullable Process daemon;

    @BeforeEach
    void start() throws IOException {
        programs = new Programs(scratch);
        root = Files.createDirectory(scratch.resolve("root"));
        startDaemon();
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (daemon != null) {
            daemon.destroyForcibly().waitFor();
        }
    }

    @Test
    void topFillsTheScreenHearsKeysFollowsAResizeOutlivesTheDaemonAndLeavesTheScreenAsItWas() throws Exception {
        try (Terminal terminal = open(80, 24, "top", "-d", "0.5")) {
            awaitScreen(terminal, 0, 80, 24, "API BUDGET", "q leaves");
            assertThat(rows(terminal.raw(), 80, 24))
                    .hasSize(24)
                    .allSatisfy(row -> assertThat(row.length()).isLessThanOrEqualTo(80));

            terminal.type("?");
            awaitScreen(terminal, 0, 80, 24, "let the picture stand still");
            terminal.type("?p");
            awaitScreen(terminal, 0, 80, 24, "PAUSED", "POOL");
            terminal.type("p");

            int before = terminal.raw().length();
            terminal.resize(200, 50);
            awaitScreen(terminal, before, 200, 50, "POOL", "EVENTS", "q leaves");
            assertThat(rows(terminal.raw().substring(before), 200, 50))
                    .anySatisfy(row -> assertThat(row.stripTrailing().length()).isGreaterThan(100));

            kill();
            awaitScreen(terminal, before, 200, 50, "AWAY", "reconnecting");
            startDaemon();
            awaitScreen(terminal, before, 200, 50, "READY");

            terminal.type("q");
            assertThat(terminal.exit()).isZero();
            assertThat(terminal.raw().substring(terminal.raw().lastIndexOf("POOL")))
                    .contains(SCREEN_BACK, CURSOR_BACK);
        }
    }

    @Test
    void whoeverEndsTopBySignalOrWithinTheShellGetsTheScreenBack() throws Exception {
        try (Terminal terminal = open(80, 24, "top")) {
            awaitScreen(terminal, 0, 80, 24, "API BUDGET");
            terminal.type(CTRL_C);
            assertThat(terminal.exit()).isEqualTo(130);
            assertThat(terminal.raw()).contains(SCREEN_BACK, CURSOR_BACK);
        }
        try (Terminal terminal = open(80, 24, "top")) {
            awaitScreen(terminal, 0, 80, 24, "API BUDGET");
            ProcessHandle.of(terminal.pid()).orElseThrow().destroy();
            Awaitility.await().atMost(PATIENCE).until(() -> !terminal.running());
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(terminal.raw()).contains(SCREEN_BACK, CURSOR_BACK));
        }
        try (Terminal terminal = open(80, 24)) {
            terminal.await(")> ");
            terminal.type("top\r");
            terminal.await("API BUDGET");
            terminal.type("q");
            terminal.await(")> ");
            terminal.type("version\r");
            terminal.await("enipamd");
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }

    @Test
    void aBundleHasAllThatIsToBeSeenAndNoneOfTheSecretsThatWereGiven() throws Exception {
        kill();
        Path config = Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json");
        Files.writeString(
                config,
                "{\"version\":\"1\",\"credential_path\":\"\",\"access_key\":\"LTAI5tPlantedInTheConfig\","
                        + "\"access_secret\":\"planted-in-the-config\"}");
        startDaemon();
        Path archive = scratch.resolve("bundle.tgz");
        Map<String, String> planted = Map.of("CI_DEPLOY_TOKEN", "planted-in-the-environment");

        Programs.Result made = programs.runIn(
                scratch,
                planted,
                Programs.shell(),
                "--socket",
                socket().toString(),
                "-c",
                "cni add --pod default/web-0; support-bundle " + archive);

        assertThat(made.err()).isEmpty();
        assertThat(made.status()).isZero();
        Path unpacked = Files.createDirectory(scratch.resolve("unpacked"));
        assertThat(programs.run(Path.of("/bin/tar"), "-xzf", archive.toString(), "-C", unpacked.toString())
                        .status())
                .isZero();
        Map<String, String> files = new HashMap<>();
        try (Stream<Path> all = Files.walk(unpacked)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String text = Files.readString(file, StandardCharsets.UTF_8);
                assertThat(text)
                        .as(file.toString())
                        .doesNotContain("planted-in-the-config")
                        .doesNotContain("LTAI5tPlantedInTheConfig")
                        .doesNotContain("planted-in-the-environment");
                files.put(String.valueOf(file.getFileName()), text);
            }
        }
        JsonNode leases = new ObjectMapper().readTree(files.get("pool-inuse.json"));
        assertThat(leases.path("leases").path(0).path("pod").asText()).isEqualTo("default/web-0");
        assertThat(files.get("log-limit-0.txt")).contains("serving on");
        assertThat(files.get("report.html")).contains("enipam on");
    }

    private Terminal open(int columns, int rows, String... words) throws IOException {
        String[] command = Stream.concat(
                        Stream.of(Programs.shell().toString(), "--socket", socket().toString()), Stream.of(words))
                .toArray(String[]::new);
        return Terminal.run(columns, rows, programs.environment(), command);
    }

    /** Waits until what came from an offset on, on a screen of that size, shows all of these. */
    private static void awaitScreen(Terminal terminal, int from, int columns, int rows, String... texts) {
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

    private void startDaemon() {
        daemon = programs.startLogged(
                scratch.resolve("daemon.log"), Map.of(), Programs.daemon(), "--root", root.toString(), "--emulate");
        Awaitility.await("the daemon serves")
                .atMost(PATIENCE)
                .until(() -> programs.enipam("--socket", socket().toString(), "status")
                        .out()
                        .contains("READY"));
    }

    private void kill() throws InterruptedException {
        Process running = daemon;
        if (running != null) {
            running.destroyForcibly();
            assertThat(running.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Path socket() {
        return root.resolve("run/enipam.sock");
    }
}
