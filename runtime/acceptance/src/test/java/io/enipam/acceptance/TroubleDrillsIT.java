package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an operator on call sees first when something has gone wrong: the same cause on every screen. */
@Execution(ExecutionMode.CONCURRENT)
class TroubleDrillsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    Path scratch;

    private Path root;
    private DaemonWithShell daemon;
    private boolean mounted;

    @BeforeEach
    void prepare() throws Exception {
        root = Files.createDirectory(scratch.resolve("root"));
        daemon = new DaemonWithShell(new ProgramRunner(scratch), root);
    }

    @AfterEach
    void stop() throws Exception {
        daemon.close();
        if (mounted) {
            run("umount", "-l", root.toString());
        }
    }

    @Test
    void anEniDetachedUnderNinePodsIsOneTroubleOnEveryScreen() {
        daemon.start();
        daemon.ok(IntStream.rangeClosed(1, 9)
                .mapToObj(i -> "cni add --pod default/p" + i)
                .collect(Collectors.joining("; ")));
        String eni = json("eni list").at("/enis/0/id").asText();
        // it stays off: what attaches it again is refused
        daemon.ok(
                "cloud fault add AttachNetworkInterface --code OperationDenied --status 403 --message no; cloud detach "
                        + eni + " --yes");
        daemon.attached("pool sync"); // else the daemon sees it with the next comparison, minutes later

        JsonNode trouble = firstTrouble("ENI_LOST");

        String text = "ENI " + eni + " was detached by another: 9 pods without network";
        assertThat(trouble.path("severity").asText()).isEqualTo("CRITICAL");
        assertThat(trouble.path("text").asText()).startsWith(text);
        assertThat(trouble.path("pods")).hasSize(9);
        JsonNode finding = json("doctor --fail-on none").at("/findings/0");
        assertThat(finding.path("check").asText()).isEqualTo("eni-lost");
        assertThat(finding.path("summary").asText()).startsWith(text);
        assertThat(finding.at("/evidence/0/since")).isEqualTo(trouble.path("since"));
        for (String screen : new String[] {
            "status",
            "cni status",
            "doctor --fail-on none",
            "top -n 1 --ascii",
            "eni list",
            "eni show " + eni,
            "explain " + eni
        }) {
            // the exit status of 'cni status' says whether the pool has another address
            assertThat(daemon.attached(screen).out()).as(screen).contains(text);
        }
        screens("ENI detached under nine pods", text, "status", "doctor --fail-on none", "explain p3");
        assertThat(daemon.ok("pod list").lines().skip(1).limit(9))
                .allSatisfy(pod -> assertThat(pod).contains("LOST ADDRESS"));
        assertThat(daemon.ok("explain p3")).contains("LOST_ADDRESS", "no network: " + text);
        JsonNode explained = json("explain p3").at("/things/0");
        assertThat(explained.path("since"))
                .as("the trouble's time, not the lease's")
                .isEqualTo(trouble.path("since"));
    }

    @ParameterizedTest
    @CsvSource({
        "Throttling.User, 400, Throttling",
        "InvalidVSwitchId.IpNotEnough, 403, have no free address",
        "QuotaExceeded.PrivateIpAddress, 400, have no free address",
    })
    void whileTheCloudGivesNoAddressNoAddIsServedAndThatIsCriticalEverywhereAtOnce(
            String code, int status, String cause) {
        daemon.start();
        for (String api : new String[] {"AssignPrivateIpAddresses", "CreateNetworkInterface"}) {
            daemon.ok("cloud fault add " + api + " --code " + code + " --status " + status + " --message drill");
        }
        // what is idle is lent first, and a daemon that a busy machine holds up can only say that the time is over
        String pod = await().atMost(PATIENCE).until(() -> refusedPod("POOL_EXHAUSTED"), name -> !name.isEmpty());

        JsonNode trouble = firstTrouble("SUPPLY");

        assertThat(trouble.path("severity").asText()).isEqualTo("CRITICAL");
        assertThat(trouble.path("text").asText()).contains(cause);
        JsonNode finding = json("doctor --fail-on none").at("/findings/0");
        assertThat(finding.path("severity").asText()).isEqualTo("CRITICAL");
        assertThat(finding.path("summary").asText()).contains(cause);
        assertThat(daemon.ok("status")).contains("CRITICAL", cause);
        ProgramRunner.Result cni = daemon.attached("cni status");
        assertThat(cni.status()).isNotZero();
        assertThat(cni.out()).contains("no ADD can be served", cause);
        screens(code, cause, "status", "doctor --fail-on none", "explain " + pod);
        assertThat(daemon.ok("pod list").lines())
                .filteredOn(line -> line.startsWith(pod + " "))
                .singleElement()
                .asString()
                .contains("WAITING POOL_EXHAUSTED");
    }

    /** A pod whose ADD fails with such a word; empty if it does not. */
    private String refusedPod(String word) {
        String pod = "default/p" + System.nanoTime();
        ProgramRunner.Result add = daemon.attached("cni add --pod " + pod + " --timeout 2s");
        return add.status() != 0 && add.err().contains(word) ? pod : "";
    }

    @Test
    void aPodThatIsGoneAndKeepsItsAddressIsALeak() {
        daemon.start();
        daemon.ok("cni add --pod default/a; pod delete default/a --yes");

        JsonNode trouble = firstTrouble("LEASE_LEAKED");

        assertThat(trouble.path("severity").asText()).isEqualTo("WARN");
        assertThat(trouble.at("/pods/0").asText()).isEqualTo("default/a");
        assertThat(json("doctor --fail-on none").at("/findings/0/summary").asText())
                .contains("no DEL came (default/a)");
        screens("leak", "no DEL came (default/a)", "status", "doctor --fail-on none");
        screens("leak", "no DEL has come", "explain default/a");
        daemon.ok("gc run");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(json("status").path("troubles")).isEmpty());
        assertThat(daemon.ok("explain default/a"))
                .as("what is gone is explained")
                .contains("default/a");
    }

    @Test
    void aDaemonThatWasKilledHasItsLeasesAgainAndSaysSo() throws Exception {
        daemon.start();
        daemon.ok("cni add --pod default/a; cni add --pod default/b");
        daemon.kill();
        daemon.start();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(json("status").path("troubles")).isEmpty());
        assertThat(json("pool inuse").path("leases")).hasSize(2);
        screens("kill -9", "killed or crashed; no acknowledged lease was lost (2 leases found)", "status");
        screens("kill -9", "HAS_ADDRESS", "explain default/a");

        daemon.terminate();
        daemon.start();
        assertThat(daemon.ok("status")).contains("stopped in order");
    }

    @Test
    void afterAFaultAndARestartTheNodeIsListedAsItWasBefore() throws Exception {
        daemon.start();
        daemon.ok("cni add --pod default/a; cni add --pod default/b");
        Map<String, List<String>> before = await().atMost(PATIENCE).until(this::listed, this::lasts);
        Instant then = Instant.now();
        assertThat(before.get("eni list")).isNotEmpty();
        assertThat(before.get("pool idle")).isNotEmpty();

        String eni = before.get("eni list").get(0);
        daemon.ok("cni del --pod default/a; cloud detach " + eni + " --yes");
        daemon.attached("pool sync --accept-loss --yes");
        daemon.ok(IntStream.rangeClosed(1, 20)
                .mapToObj(i -> "cni add --pod default/p" + i)
                .collect(Collectors.joining("; ")));
        daemon.terminate(); // a daemon that is killed loses the events of its last half second
        daemon.start();

        assertThat(listed()).isNotEqualTo(before);
        before.forEach((listing, names) -> assertThat(daemon.ok("at " + then + "; " + listing + " -o name")
                        .lines()
                        .skip(1))
                .as("%s at %s", listing, then)
                .containsExactlyInAnyOrderElementsOf(names));
        assertThat(daemon.ok("at " + then + "; explain default/a").replaceAll("\\s+", " "))
                .contains("HAS_ADDRESS", "pod default/a had", "ended by DEL");
        assertThat(daemon.ok("at " + then + "; explain " + eni)).contains("2 pods had addresses of it then");
    }

    private Map<String, List<String>> listed() {
        return Stream.of("eni list", "pool inuse", "pool idle")
                .collect(Collectors.toMap(
                        listing -> listing,
                        listing -> daemon.ok(listing + " -o name").lines().toList()));
    }

    /** Whether a moment later all is the same: nothing is under way. */
    private boolean lasts(Map<String, List<String>> listed) {
        JsonNode counts = json("pool show").at("/pool/counts");
        return counts.path("creating").asInt() + counts.path("disposing").asInt() == 0
                && counts.path("idle").asInt() >= 2
                && listed().equals(listed);
    }

    @Test
    void aFullDiskIsNamedOnEveryScreen() throws Exception {
        assumeThat(((Number) Files.getAttribute(root, "unix:uid")).intValue())
                .as("mounting a small file system needs root")
                .isZero();
        mounted = run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", root.toString()) == 0;
        assumeThat(mounted).as("a tmpfs can be mounted here").isTrue();
        daemon.start();
        daemon.ok("cni add --pod default/before");
        // else the emulated cloud, which writes to this disk as well, is the first that refuses
        await().atMost(PATIENCE)
                .until(() -> json("pool show").at("/pool/counts/idle").asInt() >= 2);
        fill(root.resolve("ballast"));
        // the journal has some room still, and the directory of the pods' connections has none
        for (int refused = 0; refused < 3; ) {
            refused += refusedPod("").isEmpty() ? 0 : 1;
        }

        JsonNode trouble = await().atMost(PATIENCE)
                .until(
                        () -> json("status").at("/troubles/0"),
                        first -> first.path("text").asText().contains("No space left on device"));

        assertThat(trouble.path("cause").asText()).isIn("ADDS_FAILING", "DATABASE");
        String full = "No space left on device";
        assertThat(trouble.path("text").asText()).contains(full);
        assertThat(daemon.ok("status")).contains("CRITICAL", full);
        assertThat(json("doctor --fail-on none").at("/findings/0/summary").asText())
                .contains(full);
        screens("full disk", full, "status", "doctor --fail-on none");
        assertThat(daemon.attached("cni status").out()).contains(full);
        assertThat(daemon.ok("top -n 1 --ascii"))
                .containsAnyOf("every ADD of the last", "the database cannot be written");
        assertThat(daemon.ok("explain default/before")).contains("HAS_ADDRESS");
        Files.delete(root.resolve("ballast"));
        await().atMost(PATIENCE)
                .until(() -> daemon.attached("cni add --pod default/after").status() == 0);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(json("status").path("troubles")).isEmpty());
    }

    /** What is seen first on each screen names the cause; prints how long an attached shell took for it, for people who compare. */
    private void screens(String drill, String cause, String... commands) {
        for (String command : commands) {
            long begun = System.nanoTime();
            String said = daemon.ok(command);
            long millis = (System.nanoTime() - begun) / 1_000_000;
            System.out.printf("first screen: %s, %s: %d ms%n", drill, command, millis);
            assertThat(said.replaceAll("\\s+", " ")).as(command).contains(cause);
        }
    }

    private static void fill(Path file) throws IOException {
        byte[] block = new byte[1 << 16];
        try (var out = Files.newOutputStream(file)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private JsonNode firstTrouble(String cause) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(json("status").at("/troubles/0/cause").asText())
                                .isEqualTo(cause));
        return json("status").at("/troubles/0");
    }

    private JsonNode json(String command) {
        try {
            return JSON.readTree(daemon.ok(command + " -o json"));
        } catch (IOException e) {
            throw new UncheckedIOException(command, e);
        }
    }
}
