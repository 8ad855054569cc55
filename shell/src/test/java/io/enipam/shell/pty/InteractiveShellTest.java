package io.enipam.shell.pty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.shell.CannedReplies;
import io.enipam.shell.FakeDaemon;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The interactive shell as a person sees it, on a small and on a large terminal; one shell for all tests of a size. */
@Timeout(300)
class InteractiveShellTest {
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_L = "\u000c";
    private static final String CTRL_R = "\u0012";
    private static final String CTRL_U = "\u0015";
    private static final String READY = "enipam(cn-hangzhou.10.0.0.1 READY 3 idle 2 used)>";

    @Nested
    class At80x24 extends Shown {
        At80x24() {
            super(80, 24);
        }
    }

    @Nested
    class At200x50 extends Shown {
        At200x50() {
            super(200, 50);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Shown {
        private final int columns;
        private final int rows;

        private Path directory;
        private FakeDaemon daemon;
        private Pty pty;

        Shown(int columns, int rows) {
            this.columns = columns;
            this.rows = rows;
        }

        @BeforeAll
        void start(@TempDir Path scratch) throws IOException {
            directory = scratch;
            daemon = serving();
            pty = Pty.shell(
                    columns,
                    rows,
                    directory,
                    Map.of(),
                    "--socket",
                    directory.resolve("s").toString());
            pty.await(READY);
        }

        @AfterAll
        void stop() {
            pty.close();
            daemon.close();
        }

        private FakeDaemon serving() throws IOException {
            FakeDaemon fresh = new FakeDaemon(directory.resolve("s")).untroubled();
            fresh.answer(ListPodsRequest.class, pods());
            fresh.answer(
                    ListInUseRequest.class,
                    ListInUseReply.newBuilder()
                            .addAllLeases(IntStream.range(0, 400)
                                    .mapToObj(i -> CannedReplies.lease("default/web-" + i, i % 250, 90))
                                    .toList())
                            .build());
            return fresh;
        }

        private static ListPodsReply pods() {
            return ListPodsReply.newBuilder()
                    .addPods(CannedReplies.pod("default/web-0", true, false))
                    .build();
        }

        @BeforeEach
        void cleanScreen() throws IOException {
            pty.type(CTRL_U + "\r" + CTRL_L); // an empty line takes the last exit status out of the prompt
            // again where news of a daemon that was slow to answer came above the prompt
            AtomicInteger looks = new AtomicInteger();
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        boolean clean = pty.screen().strip().equals(READY);
                        if (!clean && looks.incrementAndGet() % 20 == 0) {
                            pty.type(CTRL_L);
                        }
                        return clean;
                    });
        }

        @AfterEach
        void goesOn() {
            assertThat(pty.running())
                    .as("the shell runs; it shows:\n" + pty.screen())
                    .isTrue();
        }

        @Test
        void tabShowsAMenuWithDescriptions() throws IOException {
            pty.type("pool \t");

            assertThat(pty.await("The addresses that pods have")).contains("inuse", "idle", "policy");
            pty.type("inu\t");
            pty.await("> pool inuse");
        }

        @Test
        void tabAgainGoesThroughTheMenuAndPutsItsWordsBehindWhatStandsThere() throws IOException {
            pty.type("pool \t");
            pty.await("The addresses that pods have");
            pty.complete("", "> pool drain");
            pty.complete("", "> pool history");
        }

        @Test
        void optionsHaveAMenuWithDescriptionsAndTheirValuesOneBehindBothSpellings() throws IOException {
            pty.type("pool inuse --\t");
            assertThat(pty.await("How to print it: ")).contains("--columns", "--sort-by", "--watch");
            for (String option : List.of("-o ", "--output ", "--output=")) {
                cleanScreen();
                pty.type("pool inuse " + option + "\t");
                pty.await("the formats", screen -> screen.contains("name") && screen.contains("yaml"));
            }
        }

        @Test
        void tabKnowsTheContainersAddressesEnisAndPluginsThereAre() throws IOException {
            assertThat(pty.complete("cni del --pod a/b --container=sim-24", "sim-249"))
                    .contains("sim-240", "default/web-240");
            cleanScreen();
            pty.complete("explain 10.0.1.", "IN_USE default/web-0");
            cleanScreen();
            assertThat(pty.complete("eni show eni-", "InUse 10.0.1.2")).contains("eni-1", "eni-2");
            cleanScreen();
            assertThat(pty.complete("plugin info ", "ACTIVE")).contains("builtin", "old.jar", "FAILED");
        }

        @Test
        void whatIsKnownIsBoldAndWhatIsWrongRedWhileItIsTyped() throws IOException {
            int before = pty.raw().length();
            pty.type("pool show");
            pty.await("bold words", screen -> pty.raw().indexOf("\u001b[1mpool", before) >= 0);
            pty.type(CTRL_U + "stauts");
            pty.await("red ones", screen -> pty.raw().indexOf("\u001b[31mst", before) >= 0);
        }

        @Test
        void aSecretIsTypedAndNotKept() throws IOException {
            pty.type("plugin run builtin none api_token=hunter2\r");
            pty.await("returned");
            pty.type("history token\r");

            pty.await("api_token=***");
            assertThat(Files.readString(directory.resolve(".enipam_history")))
                    .contains("api_token=***")
                    .doesNotContain("hunter2");
        }

        @Test
        void tabCompletesLiveValuesBehindBothKindsOfOptionsAndASemicolon() throws IOException {
            pty.complete("status; cni del --pod=default/w", "--pod=default/web-0");
            pty.complete(CTRL_U + "cni del --pod default/w", "--pod default/web-0");
        }

        @Test
        void tabCompletesFiltersBehindABar() throws IOException {
            pty.type("pool inuse | gr\t");

            pty.await("pool inuse | grep");
            pty.await("PATTERN: What to look for");
        }

        @Test
        void tipsStandBelowTheLineAndGoWithIt() throws IOException {
            pty.type("pod show ");
            assertThat(pty.await("NS/NAME: ")).contains("pod show [");

            pty.type(CTRL_U);

            pty.await("no tips", screen -> screen.strip().endsWith(READY) && !screen.contains("NS/NAME: "));
        }

        @Test
        void aDaemonThatHangsDoesNotHoldUpWhoTypes() throws IOException {
            daemon.hang(ListPodsRequest.class);

            pty.type("pod show defau\tlt/web-7");

            pty.await("> pod show default/web-7");
            daemon.answer(ListPodsRequest.class, pods());
            // the question that hangs ends with its deadline, and the next one is answered
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> {
                        pty.type(CTRL_U + "pod show default/w\t");
                        return pty.screen().contains("pod show default/web-0");
                    });
        }

        @Test
        void longOutputIsReadPageByPage() throws IOException {
            pty.type("pool inuse\r");
            pty.await("lines 1-" + (rows - 1) + " of ");
            pty.type(" ");
            pty.await("the second page", screen -> !screen.contains("lines 1-") && screen.contains("default/web-"));
            pty.type("/WEB-300\r");
            pty.await("default/web-300 ");
            pty.type("G");
            assertThat(pty.await("(end)")).contains("default/web-399");
            pty.resize(columns - 10, rows - 5);
            pty.type("g");
            pty.await("lines 1-" + (rows - 6) + " of ");
            pty.resize(columns, rows);
            pty.await("lines 1-" + (rows - 1) + " of ");
            pty.type("q");
            pty.awaitPrompt();
        }

        @Test
        void ctrlCLeavesThePagerAndNotTheShell() throws IOException {
            pty.type("pool inuse\r");
            pty.await("q quits");

            pty.type(CTRL_C);

            pty.awaitPrompt();
            pty.type("pool show\r");
            pty.await("watermark");
        }

        @Test
        void ctrlCEndsAStreamInTheMiddle() throws IOException {
            pty.type("events -f\r");
            pty.await("waited 2 s");

            pty.type(CTRL_C);

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(daemon.cancelled()).contains("WatchEventsRequest"));
            pty.awaitPrompt();
            pty.type("pool show\r");
            pty.await("watermark");
        }

        @Test
        void ctrlCAtAQuestionChangesNothingAndEndsWhatStandsBehind() throws IOException {
            pty.type("pod delete default/web-0; version\r");
            pty.await("[y/N]");

            pty.type(CTRL_C);

            assertThat(pty.await("nothing was changed")).doesNotContain("Linux");
            pty.awaitPrompt();
            assertThat(daemon.received()).noneMatch(DeletePodRequest.class::isInstance);
        }

        @Test
        void aLineGoesOnUntilItsQuoteIsClosed() throws IOException {
            pty.type("pod show 'default/a\r");
            pty.await("quote>");
            pty.type("b' \\\r");
            pty.type("-o json | wc -l\r");

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(daemon.received())
                            .filteredOn(GetPodRequest.class::isInstance)
                            .anyMatch(request -> request.toString().contains("a\\nb")));
            pty.awaitPrompt();
        }

        @Test
        void aResizeWhileTypingKeepsWhatIsTyped() throws IOException {
            pty.type("pool sh");
            pty.await("> pool sh");
            pty.resize(columns - 20, rows - 4);
            pty.type("ow");
            pty.await("> pool show");
            pty.resize(columns, rows);
            pty.type("\r");

            pty.await("watermark");
        }

        @Test
        void whatWasTypedIsFoundAgain() throws IOException {
            pty.type("version\r");
            pty.await("Linux");
            pty.awaitPrompt();
            pty.type(CTRL_R + "vers");
            pty.await("bck-i-search: vers");
            pty.type("\r");
            pty.awaitPrompt();
            pty.type("history -n 1 versio\r");
            pty.await(
                    "a line with its time",
                    screen -> screen.lines()
                            .anyMatch(line ->
                                    line.matches(" *\\d+ +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  .*versio.*")));

            assertThat(Files.readString(directory.resolve(".enipam_history"))).contains(":version\n");
        }

        @Test
        void aDaemonThatRestartsIsFoundAgain() throws IOException {
            pty.type("events -f\r");
            pty.await("waited 2 s");

            daemon.close();

            pty.await("it is waited for, Ctrl-C ends");
            pty.type(CTRL_C);
            pty.await("the prompt without a daemon", screen -> screen.contains("away)>"));
            pty.await("this shell goes on trying");
            pty.type("pool show\r");
            pty.await("enipam: pool show failed: ");
            Files.deleteIfExists(directory.resolve("s"));
            daemon = serving();
            pty.await("the daemon is back after");
            pty.type("\r");
            pty.await("the prompt with it", screen -> screen.stripTrailing().endsWith(READY));
        }
    }

    /** A shell of the usual size on the daemon of this directory, with these variables besides. */
    private static Pty attached(Path directory, Map<String, String> environment) throws IOException {
        return Pty.shell(
                80,
                24,
                directory,
                environment,
                "--socket",
                directory.resolve("s").toString());
    }

    /** On a busy machine the first Tab did nothing. */
    @Test
    void theFirstTabWaitsUntilTheCommandsAreRead(@TempDir Path directory) throws Exception {
        try (FakeDaemon daemon = new FakeDaemon(directory.resolve("s")).untroubled()) {
            // the plugins' commands are waited for, and there is no menu before
            daemon.hang(ListCommandsRequest.class);
            try (Pty pty = attached(directory, Map.of())) {
                pty.await(READY);
                pty.type("pool \t");

                assertThat(pty.await("The addresses that pods have")).contains("inuse");
            }
        }
    }

    @Test
    void aTerminalThatKnowsNoTricksSeesNoEscapeSequence(@TempDir Path directory) throws Exception {
        try (FakeDaemon daemon = new FakeDaemon(directory.resolve("s")).untroubled();
                Pty pty = attached(directory, Map.of("TERM", "dumb", "LANG", "C"))) {
            pty.await(READY);
            pty.type("pool show\r");
            pty.await("watermark");
            pty.type("stauts\r");
            pty.await("Did you mean 'status'?");
            pty.type("exit 5\r");

            assertThat(pty.exit()).isEqualTo(5);
            assertThat(pty.raw()).doesNotContain("\u001b");
            assertThat(daemon.received()).isNotEmpty();
        }
    }

    @Test
    void aTerminalWithoutUnicodeGetsChartsOfWhatItHas(@TempDir Path directory) throws Exception {
        try (FakeDaemon daemon = new FakeDaemon(directory.resolve("s")).untroubled();
                Pty pty = attached(directory, Map.of("LANG", "C"))) {
            pty.await(READY);
            pty.type("top\r");
            pty.await("q leaves");
            pty.type("q");
            pty.awaitPrompt();

            assertThat(pty.raw()).contains("API BUDGET", "##").matches("\\p{ASCII}*");
            assertThat(daemon.received()).isNotEmpty();
        }
    }

    @Test
    void aShellForLookingOnlyIsOneAtItsPromptAsWell(@TempDir Path directory) throws Exception {
        try (FakeDaemon daemon = new FakeDaemon(directory.resolve("s")).untroubled();
                Pty pty = attached(directory, Map.of("TERM", "dumb", "ENIPAM_READ_ONLY", "1"))) {
            pty.await(READY);
            pty.type("cni add --pod default/web-9\r");
            pty.await("read-only");

            assertThat(daemon.received()).noneMatch(CniAddRequest.class::isInstance);
            pty.type("exit\r");
            pty.exit();
        }
    }
}
