package io.enipam.shell.repl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.testing.TestThreads;
import io.enipam.shell.CannedReplies;
import io.enipam.shell.CommandTree;
import io.enipam.shell.FakeDaemon;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.RepairFindingRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The interactive shell, typed at through a terminal that knows no tricks. */
@Timeout(60)
class ReplTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private final PipedOutputStream keyboard = new PipedOutputStream();
    private FakeDaemon daemon;
    private Session session;
    private DumbTerminal terminal;
    private CompletableFuture<Integer> status;

    @BeforeEach
    void start() throws IOException {
        daemon = new FakeDaemon(directory.resolve("s"));
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        terminal = new DumbTerminal(new PipedInputStream(keyboard, 4096), screen);
        PagedOutput paged = new PagedOutput(terminal, stream, stream, true);
        session = new Session(
                new SessionOutput(paged.out(), paged.err(), Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                () -> DaemonConnection.open(directory.resolve("s")),
                InstantSource.fixed(CannedReplies.NOW),
                ZoneOffset.UTC);
        Repl repl = new Repl(session, terminal, paged, Optional.of(directory.resolve("history")), true);
        status = CompletableFuture.supplyAsync(repl::run, TestThreads.PER_TASK);
    }

    @AfterEach
    void stop() throws IOException {
        keyboard.close();
        status.join();
        terminal.close();
        session.close();
        daemon.close();
    }

    private void type(String text) throws IOException {
        keyboard.write(text.getBytes(StandardCharsets.UTF_8));
        keyboard.flush();
    }

    private void awaitOutput(String text) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(out.toString(StandardCharsets.UTF_8)).contains(text));
    }

    private void awaitScreen(String text) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(screen.toString(StandardCharsets.UTF_8)).contains(text));
    }

    @Test
    void greetsAndPromptsWithTheNode() {
        awaitScreen("enipam(cn-hangzhou.10.0.0.1 READY 1 lost 3 idle 2 used)> ");

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
                        enipam unpackaged on cn-hangzhou.10.0.0.1: 2 in use, 3 idle, 1 cooling of 14; 1 waiting
                        help lists the commands, TAB completes, Ctrl-D leaves
                        """);
    }

    @Test
    void goesOnAfterAnErrorAndLeavesWithTheStatusAskedFor() throws IOException {
        type("stauts\nexit 5\n");

        assertThat(status.join()).isEqualTo(5);
        awaitOutput("unknown command 'stauts'. Did you mean 'status'?");
    }

    @Test
    void thePromptSaysHowTheLastLineEndedUntilAnotherOne() throws IOException {
        type("stauts\n");
        awaitScreen("READY 1 lost 3 idle 2 used, exit 2)> ");
        int failed = screen.toString(StandardCharsets.UTF_8).length();
        type("version\n");

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(screen.toString(StandardCharsets.UTF_8).substring(failed))
                                .contains("READY 1 lost 3 idle 2 used)> "));
    }

    @Test
    void doctorOffersItsRepairAtOnceAndMakesItOnlyIfThePersonAgrees() throws IOException {
        type("doctor\n");
        awaitScreen("lease-stale: would end the lease of default/web-1; fix it? [y/N] ");
        type("n\ndoctor\n");
        awaitScreen("exit 1)> ");
        assertThat(daemon.received())
                .filteredOn(RepairFindingRequest.class::isInstance)
                .extracting(request -> ((RepairFindingRequest) request).getDryRun())
                .containsOnly(true);

        type("y\n");

        awaitOutput("ended the lease of default/web-1");
    }

    @Test
    void leavesAtTheEndOfInput() throws IOException {
        awaitScreen("> ");
        keyboard.close();

        assertThat(status.join()).isZero();
    }

    @Test
    void ctrlCEndsTheCommandAndNotTheShell() throws IOException {
        type("events -f\n");
        awaitOutput("waited 2 s");

        terminal.raise(Signal.INT);

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(daemon.cancelled()).containsExactly("WatchEventsRequest"));
        type("pool show\n");
        awaitOutput("watermark");
        assertThat(status).isNotDone();
    }

    @Test
    void ctrlCEndsARunbookWithTheStepItIsAt() throws IOException {
        daemon.hang(CniAddRequest.class);
        Path file = Files.writeString(directory.resolve("demo"), "version\ncni add --pod default/a\npool show\n");
        type("run " + file + "\n");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(daemon.received()).hasAtLeastOneElementOfType(CniAddRequest.class));

        terminal.raise(Signal.INT);

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(daemon.cancelled()).containsExactly("CniAddRequest"));
        type("eni list\n");
        awaitOutput("eni-1");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("demo:2").doesNotContain("watermark");
    }

    @Test
    void ctrlCEndsARunbookThatWaits() throws IOException {
        Path file = Files.writeString(directory.resolve("demo"), "retry 1h: expect pool show | grep nothing\n");
        type("run " + file + "\n");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(daemon.received())
                        .filteredOn(GetPoolRequest.class::isInstance)
                        .hasSizeGreaterThan(1));

        terminal.raise(Signal.INT);
        type("eni list\n");

        awaitOutput("eni-1");
    }

    @Test
    void asksBeforeAPodIsDeletedAndDoesNotRememberTheAnswer() throws IOException {
        type("pod delete default/web-0\n");
        awaitScreen("without a DEL? [y/N] ");
        type("y\n");
        awaitOutput("is gone without a DEL");
        type("history\n");
        awaitOutput("  history\n");

        assertThat(daemon.received()).hasAtLeastOneElementOfType(DeletePodRequest.class);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("1       \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  pod delete default/web-0\n"
                        + "2       \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  history\n");
    }

    @Test
    void aDaemonThatRestartsIsFoundAgain() throws IOException {
        type("pool show\n");
        awaitOutput("watermark");
        daemon.close();
        Files.deleteIfExists(directory.resolve("s"));
        // a call may still go into the connection that breaks; the next one sees that the socket is gone
        type("version\n");
        awaitOutput("enipam: version failed: ");
        type("version\n");
        awaitOutput("enipam: version failed: there is no socket");

        daemon = new FakeDaemon(directory.resolve("s"));
        type("version\n");

        awaitOutput("Linux 6.1 amd64");
        assertThat(status).isNotDone();
    }

    @Test
    void historyIsKeptForItsOwnerAlone() throws IOException {
        type("pool show\nexit\n");
        status.join();

        assertThat(Files.readString(directory.resolve("history"))).contains("pool show");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("history"))))
                .isEqualTo("rw-------");
    }

    @Test
    void liveValuesComeFromTheDaemon() {
        DaemonCompletionValues values = new DaemonCompletionValues(session::daemon);

        assertThat(values.of(CompletionKind.PODS, List.of()))
                .contains(
                        new CompletionValues.Value("default/web-0", "10.0.1.3/24"),
                        new CompletionValues.Value("default/job-9", ""));
        assertThat(values.of(CompletionKind.ENIS, List.of()))
                .contains(new CompletionValues.Value("eni-1", "InUse 10.0.1.2"));
        assertThat(values.of(CompletionKind.DB_KEYS, List.of()))
                .extracting(CompletionValues.Value::text)
                .containsExactly("leases/enipam/sim-3/eth0", "quarantine/eni-1:10.0.1.8");
    }

    @Test
    void whatPluginsBringIsCompletedFromWhatStandsBefore() {
        DaemonCompletionValues values = new DaemonCompletionValues(session::daemon);
        String id = "warm-target-policy";

        assertThat(values.of(CompletionKind.PLUGINS, List.of()))
                .contains(
                        new CompletionValues.Value("builtin", "ACTIVE"),
                        new CompletionValues.Value("old.jar", "FAILED"));
        assertThat(texts(values.of(CompletionKind.POLICIES, List.of()))).containsExactly("watermark", "warm-target");
        assertThat(values.of(CompletionKind.FACTORIES, List.of()))
                .contains(new CompletionValues.Value("cidr", "cidr-factory LEAVING"));
        assertThat(texts(values.of(CompletionKind.DIAGNOSTICS, List.of(id)))).containsExactly("demand");
        assertThat(values.of(CompletionKind.DIAGNOSTICS, List.of("builtin"))).isEmpty();
        assertThat(texts(values.of(CompletionKind.BALLOTS, List.of()))).containsExactly("tasks");
        assertThat(texts(values.of(CompletionKind.DIAGNOSTIC_PARAMETERS, List.of(id, "demand"))))
                .containsExactly("window=", "order=time", "order=count");
        assertThat(texts(values.of(CompletionKind.DIAGNOSTIC_PARAMETERS, List.of(id, "demand", "order=time"))))
                .containsExactly("window=");
        assertThat(values.of(CompletionKind.DIAGNOSTIC_PARAMETERS, List.of(id, "none")))
                .isEmpty();
    }

    private static List<String> texts(List<CompletionValues.Value> values) {
        return values.stream().map(CompletionValues.Value::text).toList();
    }
}
