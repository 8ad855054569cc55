package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listings as they were at a moment: default/web-7 had its address until 90 s ago, default/web-0 has it for a minute. */
class PastTest {
    @TempDir
    static Path directory;

    private static FakeDaemon daemon;

    @BeforeAll
    static void serve() throws Exception {
        daemon = new FakeDaemon(directory.resolve("s"));
    }

    @AfterAll
    static void close() {
        daemon.close();
    }

    private static TestShell.Result shell(String... words) {
        return new TestShell(directory, directory).at(directory.resolve("s"), words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pool inuse", "pod list"})
    void aListingOfThePastHasWhoHadAnAddressThen(String listing) {
        TestShell.Result then = shell("--at", "10m ago", "-c", listing);
        assertThat(then.err()).isEmpty();
        assertThat(then.out()).contains("default/web-7", "10.0.1.3").doesNotContain("web-0");

        assertThat(shell("--at", "2026-11-21T07:59:30Z", "-c", listing).out())
                .contains("default/web-0")
                .doesNotContain("web-7");
    }

    @Test
    void theAgeOfALeaseIsThatAtTheMoment() {
        assertThat(shell("--at", "10m", "-c", "pool inuse -o json").out())
                .contains("\"since\": \"2026-11-21T06:00:00Z\"");
        assertThat(shell("--at", "10m", "-c", "pool inuse").out()).contains("eth0    1h");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eni list", "status", "pool warm 3", "explain 10.0.1.3", "events -f"})
    void whatKnowsThePresentAloneIsRefusedAndNamesWhatKnowsThePast(String command) {
        TestShell.Result refused = shell("--at", "10m", "-c", command);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).contains("knows the present alone", "pool inuse, pod list");
    }

    @Test
    void aMomentThatTheHistoryDoesNotKnowAnyMoreIsRefused() {
        TestShell.Result refused = shell("--at", "4h", "-c", "pool inuse");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("forgotten", "2026-11-21T05:00:00Z");
    }

    @Test
    void atGoesThereAndBack() {
        TestShell.Result result = shell("-c", "at 10m; who 10.0.1.3; at now; who 10.0.1.3");
        assertThat(result.err()).isEmpty();
        String[] halves = result.out().split("listings show the present");
        assertThat(halves[0])
                .contains("10m ago, and nothing can be changed", "default/web-7")
                .doesNotContain("web-0");
        assertThat(halves[1]).contains("default/web-7", "default/web-0");
    }

    @Test
    void whatIsNoTimeIsRefusedBeforeAnythingIsAsked() {
        assertThat(shell("--at", "yesterday", "-c", "pool inuse").err()).contains("'yesterday'");
        assertThat(shell("-c", "diff --from 5m --to 10m").err()).contains("--from is not before --to");
    }
}
