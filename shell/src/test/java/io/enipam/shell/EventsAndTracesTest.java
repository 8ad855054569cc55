package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.testing.TestThreads;
import io.enipam.shell.ShellProgram.Terminals;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code events} chooses and follows, and what {@code trace} says of what it does not know. */
@Timeout(120)
class EventsAndTracesTest extends AttachedShell {
    @ParameterizedTest
    @CsvSource({
        "events, 2",
        "events --level warning, 1",
        "events --level error, 0",
        "events --level WARN, 1",
        "events --severity Warning --limit 5, 1",
        "events --type EniStuck, 0",
        "events --pod web-1, 1",
        "events --type lease, 2",
        "events --pod default/other, 0",
        "events --since 1s, 0",
        "events --since 2h, 2",
        "events -n 1, 1",
        "events -n 0, 0",
    })
    void eachFilterLeavesOutWhatDoesNotFit(String line, int left) {
        TestShell.Result seen = run(line + " -o json | jq '.events | length'");

        assertThat(seen.err()).isEmpty();
        assertThat(seen.out()).isEqualTo(left + "\n");
    }

    @Test
    void aWrongLevelOrNumberIsAUsageError() {
        assertThat(run("events --level loud").status()).isEqualTo(2);
        assertThat(run("events -n -1").status()).isEqualTo(2);
        assertThat(run("trace -n -1").status()).isEqualTo(2);
    }

    @Test
    void aTypeThatNoEventHasIsRefusedAndTheNearestNamed() {
        TestShell.Result nonsense = run("events --type Nonsense");
        assertThat(nonsense.status()).isEqualTo(2);
        assertThat(nonsense.err()).contains("no event has the type 'Nonsense'");
        assertThat(run("events --type LeaseGrantd").err()).contains("Did you mean 'LeaseGranted'?");
        assertThat(run("events -f --type Nonsense").status()).isEqualTo(2);
    }

    @Test
    void theTypeOfAPluginIsTakenThoughItHasPublishedNone() {
        assertThat(run("events --type host-local/RangeFull").status()).isZero();
    }

    @Test
    void whoFollowsGoesOnWithADaemonThatStartedAnewAndIsToldOfIt() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CompletableFuture<Integer> status = CompletableFuture.supplyAsync(
                () -> new ShellProgram(
                                directory,
                                directory,
                                new Terminals(false, false, false),
                                InstantSource.fixed(CannedReplies.NOW),
                                ZoneOffset.UTC)
                        .run(
                                new String[] {
                                    "--socket", directory.resolve("s").toString(), "-c", "events -f | head -n 4"
                                },
                                InputStream.nullInputStream(),
                                new PrintStream(out, true, StandardCharsets.UTF_8),
                                new PrintStream(err, true, StandardCharsets.UTF_8),
                                Map.of()),
                TestThreads.PER_TASK);
        await().atMost(Duration.ofSeconds(40))
                .until(() -> out.toString(StandardCharsets.UTF_8).contains("waited 2 s"));

        daemon.close();
        await().atMost(Duration.ofSeconds(40))
                .untilAsserted(
                        () -> assertThat(err.toString(StandardCharsets.UTF_8)).contains("the daemon went away"));
        Files.deleteIfExists(directory.resolve("s"));
        daemon = new FakeDaemon(directory.resolve("s"));

        await().atMost(Duration.ofSeconds(40)).until(status::isDone);
        assertThat(status).isCompletedWithValue(0);
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(4);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("events: the daemon is back")
                .contains("started anew");
    }

    @Test
    void whoBeginsToFollowNobodyIsToldSoAtOnce() throws IOException {
        daemon.close();
        Files.deleteIfExists(directory.resolve("s"));

        assertThat(run("events -f").status()).isEqualTo(3);
    }

    @Test
    void aNameNothingIsRememberedOfIsToldHowFarMemoryGoes() {
        TestShell.Result seen = run("trace default/nobody");

        assertThat(seen.status()).isEqualTo(1);
        assertThat(seen.err().lines()).hasSize(1);
        assertThat(seen.err())
                .contains("nothing is remembered of 'default/nobody'")
                .contains("37 operations of 12 pods, since the daemon's start 2h ago")
                .contains("trace");
        assertThat(run("trace default/nobody --failed").status()).isEqualTo(1);
    }

    @Test
    void aPodOfWhichNothingIsLikeThatIsNoFailure() {
        TestShell.Result seen = run("trace default/web-0 --failed -n 0 | grep -c FAILED");
        assertThat(seen.status()).isZero();

        TestShell.Result recent = run("trace default/web-0 --since 1s");
        assertThat(recent.status()).isZero();
    }

    @Test
    void whatTheDaemonSaysCannotReachTheTerminalAsACommand() {
        TestShell.Result seen = run("trace default/web-0");

        assertThat(seen.out()).doesNotContain("\u001b").contains("AddressLost");
    }
}
