package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.Event;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Listings as they were at a moment: default/web-7 had its address until 90 s ago, default/web-0 has it for a minute. */
class PastTest {
    @TempDir
    static Path directory;

    @AutoClose
    private static FakeDaemon daemon;

    @BeforeAll
    static void serve() throws Exception {
        daemon = new FakeDaemon(directory.resolve("s"));
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

    /** Attached ten minutes before it was deleted; both ENIs of the fake daemon are two hours old. */
    @Test
    void theEnisOfThePastAreThoseThatWereThereWithTheAddressesThatPodsHadAndADashForWhatIsNotRecorded() {
        happened(1800, "EniCreated", "eni-gone");
        happened(1790, "EniAttached", "eni-gone");
        happened(300, "EniLost", "eni-gone");
        happened(290, "EniDeleted", "eni-gone");
        happened(200, "EniCreated", "eni-2");

        List<String> then = shell("--at", "10m", "-c", "eni list").out().lines().toList();
        assertThat(then).hasSize(4);
        assertThat(then.get(1)).matches("eni-1 +InUse +1h +- +1 +- +10\\.0\\.1\\.2 +00:16:3e:00:00:01 +vsw-a");
        assertThat(then.get(2)).matches("eni-gone +- +- +- +0 +- +10\\.0\\.9\\.1 +- +-");
        assertThat(then.get(3)).isEqualTo("-: not recorded");
        assertThat(shell("--at", "1h", "-c", "eni list -o name").out().lines()).containsExactly("eni-1");
        assertThat(shell("--at", "10s", "-c", "eni list -o name").out().lines()).containsExactly("eni-1", "eni-2");

        assertThat(shell("--at", "10m", "-c", "eni show eni-1").out())
                .contains("InUse for 1h", "in use      1", "10.0.1.3", "default/web-7", "-: not recorded")
                .doesNotContain("web-0", "queued");
        assertThat(shell("--at", "10m", "-c", "pool map").out()).contains("IPv4  U\n", "U 1 in use", "not recorded");
        TestShell.Result unknown = shell("--at", "10m", "-c", "eni show eni-9");
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.err()).contains("nothing is recorded of an ENI eni-9 then");
    }

    /** Between both leases, and before either ENI of this daemon was made. */
    @ParameterizedTest
    @CsvSource({
        "pool idle, no address was idle",
        "pool inuse, no address was in use",
        "pod list, no pod had an address",
        "eni list, no ENI was attached",
        "pool map, no ENI was attached"
    })
    void whereNothingWasThereThatIsSaidOfThePastAndNothingIsAdvised(String listing, String said) throws Exception {
        Path socket = directory.resolve("none");
        try (FakeDaemon none = new FakeDaemon(socket)) {
            happened(none, 50, "EniCreated", "eni-1");
            happened(none, 50, "EniCreated", "eni-2");
            assertThat(new TestShell(directory, directory)
                            .at(socket, "--at", "75s", "-c", listing)
                            .out()
                            .lines()
                            .findFirst())
                    .contains(said);
        }
    }

    private static void happened(int secondsAgo, String type, String eni) {
        happened(daemon, secondsAgo, type, eni);
    }

    private static void happened(FakeDaemon where, int secondsAgo, String type, String eni) {
        where.happened(Event.newBuilder()
                .setAt(CannedReplies.ago(secondsAgo))
                .setSeverity("INFO")
                .setType(type)
                .setSubject(eni)
                .putAttributes("primaryIp", "10.0.9.1")
                .build());
    }

    @Test
    void onePodOfThePastHasTheAddressesThatItHadThenAndOneWithoutIsNotKnown() {
        assertThat(shell("--at", "10m", "-c", "pod show default/web-7").out())
                .contains("status  -", "uid-2", "10.0.1.3", "-: not recorded");
        assertThat(shell("--at", "10m", "-c", "pod list").out()).containsPattern("default/web-7 +- ");
        TestShell.Result none = shell("--at", "10m", "-c", "pod show default/web-0");
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.err()).contains("had no address then");
    }

    @Test
    void thePoolOfThePastIsTheSampleOfThatTime() {
        assertThat(shell("--at", "10m", "-c", "pool show").out())
                .contains("kind        -", "policy      -", "capacity    45", "idle        3", "in use      14")
                .contains("sampled at 08:00:00", "-: not recorded");
    }

    @Test
    void aTraceOfThePastEndsThere() {
        assertThat(shell("--at", "100s", "-c", "trace").out())
                .contains("CLOUD_FAILED")
                .doesNotContain(" OK ");
        assertThat(shell("-c", "trace").out()).contains(" OK ");
    }

    @Test
    void theAgeOfALeaseIsThatAtTheMoment() {
        assertThat(shell("--at", "10m", "-c", "pool inuse -o json").out())
                .contains("\"since\": \"2026-11-21T06:00:00Z\"");
        assertThat(shell("--at", "10m", "-c", "pool inuse").out()).contains("eth0    1h");
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "pool warm 3", "events -f"})
    void whatKnowsThePresentAloneIsRefusedAndNamesWhatKnowsThePast(String command) {
        TestShell.Result refused = shell("--at", "10m", "-c", command);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).contains("knows the present alone", "pool inuse", "eni list", "trace");
    }

    @Test
    void theIdleAddressesOfThePastAreThoseOfThePoolThenThatNoPodHad() {
        happened(700, "ResourceCreated", "eni-1:10.0.1.8");
        happened(650, "ResourceDisposed", "eni-1/10.0.1.50");
        happened(330, "ResourceDisposed", "eni-1/10.0.1.3"); // default/web-7 had it then
        happened(320, "ResourceDisposed", "eni-1/10.0.1.99");
        happened(310, "ResourceCreated", "eni-1:10.0.1.7");

        assertThat(shell("--at", "10m", "-c", "pool idle -o name").out().lines())
                .contains("eni-1:10.0.1.8", "eni-1/10.0.1.99")
                .doesNotContain("eni-1/10.0.1.50", "eni-1/10.0.1.3", "eni-1:10.0.1.7");
        assertThat(shell("--at", "10m", "-c", "pool idle").out())
                .containsPattern("10\\.0\\.1\\.99 +- ")
                .contains("-: not recorded");
    }

    @Test
    void anExplanationOfThePastSaysWhoHadItThenAndWhatHappenedBefore() {
        happened(650, "AddressKept", "10.0.1.3");

        assertThat(shell("--at", "10m", "-c", "explain 10.0.1.3 -o wide").out())
                .contains("IN_USE", "default/web-7", "ended by GC (the pod is gone)", "AddressKept")
                .doesNotContain("web-0");
        String now =
                shell("--at", "2026-11-21T07:59:30Z", "-c", "explain 10.0.1.3").out();
        assertThat(now).contains("default/web-0", "and has it still", "before: pod default/web-7");
        TestShell.Result anew = shell("--at", "10m", "-c", "explain 10.0.1.3 --anew");
        assertThat(anew.status()).isEqualTo(2);
        assertThat(anew.err()).contains("--anew asks the cloud of now");
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
