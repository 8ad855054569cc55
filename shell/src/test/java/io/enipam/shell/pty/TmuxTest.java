package io.enipam.shell.pty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.shell.FakeDaemon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees who types in a real terminal, tmux's, of 80 columns and 24 rows. */
@Timeout(300)
class TmuxTest {
    private static final String PROMPT = "READY 3 idle 2 used)>";
    private static final String FAINT = "\u001b[2m";

    @TempDir
    Path directory;

    private FakeDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(tmuxIsThere(), "there is no tmux on this machine; with it, this test types in a real terminal");
        daemon = new FakeDaemon(directory.resolve("s")).untroubled();
        List<String> shell = Pty.command("--socket", directory.resolve("s").toString());
        List<String> quoted = shell.stream().map(word -> "'" + word + "'").toList();
        Path script = Files.writeString(directory.resolve("run.sh"), "exec " + String.join(" ", quoted) + "\n");
        tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh " + script);
        awaitScreen(PROMPT);
    }

    @AfterEach
    void stop() throws IOException {
        if (daemon != null) {
            tmux("kill-server");
            daemon.close();
        }
    }

    private static boolean tmuxIsThere() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "tmux")));
    }

    @Test
    void ghostTextGoesOnWithTheGrammarAndThenWithTheHistory() throws IOException {
        type("pool inu");
        awaitScreen(FAINT + "se");
        keys("Right", "Enter");
        awaitScreen("kube-system/c\u2026db65d4-x2x7q");
        keys("C-l");
        type("p");
        awaitScreen(FAINT + "ool inuse");
        keys("End", "Enter");
        awaitScreen("kube-system/c\u2026db65d4-x2x7q");
    }

    @Test
    void clearLeavesThePromptAloneOnTheScreen() throws IOException {
        type("eni show eni-1 -o name; clear; pool show -o name");
        keys("Enter");
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(screen(false)).startsWith("eni-ip\nenipam("));
    }

    @Test
    void theMenuHasItsDescriptionsInOneColumn() throws IOException {
        type("pool ");
        keys("Tab");

        awaitScreen("\ndrain    Give back every idle address, and fill no more.");
        assertThat(screen(false)).contains("\ninuse    The addresses that pods have.");
        keys("Tab");
        awaitScreen("> pool drain");
    }

    @Test
    void theLineBeforeIsRunAgainAndTheSystemsShellReadsIt() throws IOException {
        type("eni show eni-1 -o name");
        keys("Enter");
        awaitScreen("\neni-1\n");
        type("!! | !tr a-z A-Z");
        keys("Enter");
        awaitScreen("\nENI-1\n");
        assertThat(screen(false).replace("\n", "")).contains("> eni show eni-1 -o name | !tr a-z A-Z");
        type("! stty size && echo done");
        keys("Enter");
        awaitScreen("\n24 80\ndone\n");
    }

    @Test
    void anyCommandIsWatchedInItsPlace() throws IOException {
        type("watch -n 0.2 'pool show | grep idle'");
        keys("Enter");
        awaitScreen("every 0.2 s, ");
        awaitScreen("idle        3");
        keys("C-c");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> screen(false).stripTrailing().endsWith(PROMPT));
    }

    @Test
    void theMapHasACursorAndEnterExplainsTheAddressUnderIt() throws IOException {
        type("pool map --watch=0.5");
        keys("Enter");
        awaitScreen("arrows move  Enter explains  q leaves");
        awaitScreen("10.0.1.2  primary  on eni-1");
        keys("Right");
        awaitScreen("10.0.1.3  in use  default/web-0  on eni-1");
        keys("Down");
        awaitScreen("10.0.1.3  in use  default/web-0  on eni-2");
        keys("Enter");
        awaitScreen("any key: back");
        keys("x");
        awaitScreen("arrows move");
        keys("q");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> screen(false).stripTrailing().endsWith(PROMPT));
    }

    @Test
    void theDashboardHasACursorAFilterAndEnterShowsWhatIsKnownOfTheRow() throws IOException {
        type("top -d 0.5");
        keys("Enter");
        awaitScreen("arrows, Enter explains");
        keys("Down");
        awaitScreen("\u001b[7m");
        keys("Enter");
        awaitScreen("any key: back");
        assertThat(screen(false)).contains("ADDRESS", "IN_USE", "10.0.1.3");
        keys("x");
        awaitScreen("arrows, Enter explains");
        keys("Up", "Up");
        type("/");
        awaitScreen("Esc clears it");
        type("WAITEDq");
        keys("BSpace", "Enter");
        awaitScreen("/ filter: WAITED");
        assertThat(screen(false)).contains("waited 2 s").doesNotContain("10.0.1.3/24 from eni-1");
        assertThat(screen(false).lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        keys("Escape");
        awaitScreen("10.0.1.3/24 from eni-1");
        keys("q");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> screen(false).stripTrailing().endsWith(PROMPT));
    }

    private void type(String text) throws IOException {
        tmux("send-keys", "-l", text);
    }

    private void keys(String... names) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("send-keys"));
        arguments.addAll(List.of(names));
        tmux(arguments.toArray(String[]::new));
    }

    private void awaitScreen(String text) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(screen(text.contains("\u001b"))).contains(text));
    }

    private String screen(boolean withStyles) throws IOException {
        return withStyles ? tmux("capture-pane", "-p", "-e") : tmux("capture-pane", "-p");
    }

    /** Runs a command of a server of our own; what it prints. */
    private String tmux(String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("tmux", "-S", directory.resolve("tmux").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("TMUX", "NO_COLOR", "LC_ALL", "JAVA_TOOL_OPTIONS"));
        builder.environment().put("LANG", "C.UTF-8");
        builder.environment().put("HOME", directory.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(said).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return said;
    }
}
