package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each runbook of the library at a real daemon: it passes on a healthy node; with its fault it fails, or says what it found;
 * once that is mended it passes. One daemon for all; each test begins with a healthy node without pods, whatever became of the
 * one before.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ShippedRunbooksIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path scratch;

    private ProgramRunner programs;
    private Path root;
    private DaemonWithShell daemon;

    @BeforeAll
    void start() throws IOException {
        programs = new ProgramRunner(Files.createDirectory(scratch.resolve("tmp")));
        root = Files.createDirectory(scratch.resolve("root"));
        // what is waited for is the pool, not its cool-down or its next look
        Files.writeString(Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"), """
                pool: {cool_down: 0s, check_interval: 1s}
                emulator:
                  vswitches: {vsw-old: 10.0.0.0/24, vsw-new: 10.0.1.0/24}
                """);
        vswitch("vsw-old");
        daemon = new DaemonWithShell(programs, root);
        daemon.start("--emulate");
    }

    private void vswitch(String id) throws IOException {
        Files.writeString(
                Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json"),
                "{\"version\": \"1\", \"vswitches\": {\"cn-hangzhou-i\": [\"" + id + "\"]}}");
    }

    @AfterAll
    void stop() throws InterruptedException {
        daemon.close();
    }

    /** Also what a test that failed has left behind is taken away, so that it is the only one that fails. */
    @BeforeEach
    void healthyAndEmpty() {
        daemon.ok("cloud reset; pool policy watermark");
        ProgramRunner.Result emptied = daemon.shell().run("run", "--yes", "-c", """
                if pool show | jq '.pool.order.kind == "DRAINED"'
                  pool drain --undo
                end
                for pod in pool inuse | jq .leases[].pod
                  cni del --pod=${pod}
                end
                expect pool inuse | jq '.leases | length' == 0
                """);
        assertThat(emptied.status()).as(emptied.toString()).isZero();
        passes("check-node", "-v", "wait=3m");
    }

    @Test
    void aHealthyNodePassesAllThatOnlyLook() throws IOException {
        daemon.ok("cni add --pod default/steady --timeout 60s");
        passes("find-leaks");
        assertThat(daemon.shell().run("--read-only", "run", "find-leaks").status())
                .as("it changes nothing")
                .isZero();
        passes("recover-throttling", "-v", "wait=3m");
        passes("pre-upgrade-check", "-v", "wait=3m");
        passes("check-db");
        Path evidence = Files.createDirectory(scratch.resolve("evidence"));
        passes("collect-evidence", "-v", "dir=" + evidence);
        assertThat(JSON.readTree(evidence.resolve("status.json").toFile())
                        .path("phase")
                        .asText())
                .isEqualTo("READY");
        assertThat(evidence.resolve("inuse.json")).content().contains("default/steady");
        daemon.ok("cni del --pod default/steady");
    }

    @Test
    void aLeaseWhosePodIsGoneIsFoundAndTakenBack() {
        daemon.ok("cni add --pod default/gone --timeout 60s");
        daemon.ok("pod delete default/gone --yes");

        failsAt(4, "find-leaks", ".report.collected | length' == 0, and saw 1");
        assertThat(passes("fix-leaks")).contains("1 stale leases");
        passes("find-leaks");
        assertThat(passes("fix-leaks")).contains("0 stale leases");
    }

    @Test
    void anAddressThatTheCloudTookFromAPodIsNamed() throws IOException {
        // the first address may be the ENI's own, which cannot be taken off it
        daemon.ok("cni add --pod default/one --timeout 60s; cni add --pod default/two --timeout 60s");
        // an assignment under way would be given the very address that is taken, and nothing would be amiss
        daemon.awaitPoolAtRest();
        JsonNode lease = json("pool inuse | jq '[.leases[] | select(.resource.attributes.primary == \"false\")][0]'");
        String pod = lease.path("pod").asText();
        daemon.ok("cloud take-ip " + lease.at("/resource/addresses/0").asText().replaceFirst("/.*", "") + " --yes");
        // an address that came a moment ago is not missed at once: the cloud's list may be late
        Awaitility.await("the pool misses it")
                .atMost(Duration.ofSeconds(60))
                .until(() -> daemon.ok("pool sync; pool inuse").contains("INVALID"));

        failsAt(4, "post-reboot-check", "saw 1");
        failsAt(4, "find-leaks", "saw 1");
        assertThat(failsAt(4, "fix-leaks", "saw 1").out())
                .contains(pod + " has an address that is gone from the cloud");
        daemon.ok("cni del --pod " + pod);
        passes("find-leaks");
        passes("post-reboot-check");
        daemon.ok("cni del --pod default/" + (pod.endsWith("one") ? "two" : "one"));
    }

    @Test
    void throttlingIsWaitedFor() {
        daemon.ok("cloud fault add AssignPrivateIpAddresses --code Throttling.User");
        // more than the upper watermark, so that some are refused and the pool is empty
        trying(7, "cni add --timeout 1s --pod default/burst-");

        ProgramRunner.Result refused = failsAt(4, "recover-throttling", "expected", "-v", "wait=2s");
        // the call itself is remembered once it is over, its repetitions included, which may take longer
        assertThat(refused.out())
                .contains("throttled: AssignPrivateIpAddresses", "ecs calls --failed", "ask for a higher quota");
        daemon.ok("cloud reset");
        passes("recover-throttling", "-v", "wait=3m");

        trying(7, "cni del --pod default/burst-");
    }

    @Test
    void anUpgradeWaitsForWhatIsHalfDone() {
        daemon.ok("cni add --pod default/kept --timeout 60s");
        daemon.ok(
                "cloud fault add AssignPrivateIpAddresses --code InternalError; cloud fault add DescribeNetworkInterfaces"
                        + " --code InternalError");
        trying(7, "cni add --timeout 1s --pod default/half-");

        assertThat(daemon.shell()
                        .run("run", "pre-upgrade-check", "-v", "wait=2s")
                        .status())
                .isEqualTo(4);
        daemon.ok("cloud reset");
        trying(7, "cni del --pod default/half-");
        passes("pre-upgrade-check", "-v", "wait=3m");
        daemon.ok("cni del --pod default/kept");
    }

    @Test
    void theDatabaseIsSavedAndTheFileReadAgain() throws IOException {
        Path file = scratch.resolve("backup.jsonl");

        assertThat(passes("backup-db", "-v", "file=" + file)).contains("records are in " + file);
        assertThat(file).isNotEmptyFile();
        passes("backup-db", "-v", "file=" + file);
        failsAt(4, "backup-db", "expected", "-v", "file=relative.jsonl");
        failsAt(1, "backup-db", "run failed", "-v", "file=" + scratch.resolve("nowhere/backup.jsonl"));
    }

    @Test
    void aPolicyThatIsNotThereChangesNothing() {
        passes("swap-policy", "-v", "policy=watermark");
        failsAt(1, "swap-policy", "run failed", "-v", "policy=nobodys");
        assertThat(daemon.ok("pool show")).contains("watermark");
    }

    @Test
    void aFactoryIsSwappedAndPodsKeepTheirAddresses() throws IOException {
        daemon.ok("cni add --pod default/keeps --timeout 60s");
        String before =
                json("pool inuse -o json").at("/leases/0/resource/addresses/0").asText();

        failsAt(2, "swap-factory", "confirmed", "-v", "factory=eni-ip");
        passes("swap-factory", "--yes", "-v", "factory=eni-ip");
        assertThat(json("pool inuse -o json")
                        .at("/leases/0/resource/addresses/0")
                        .asText())
                .isEqualTo(before);
        failsAt(1, "swap-factory", "run failed", "--yes", "-v", "factory=nobodys");
        daemon.ok("cni del --pod default/keeps");
    }

    @Test
    void aDrainGivesTheIdleAddressesBackAndIsUndoneByACommand() throws IOException {
        daemon.ok("cni add --pod default/stays --timeout 60s");

        failsAt(2, "drain-pool", "confirmed");
        assertThat(passes("drain-pool", "--yes", "-v", "wait=3m")).contains("default/stays still has an address");
        assertThat(json("eni list -o json").findValuesAsText("state"))
                .as("one address of an ENI is its own, and goes with it")
                .filteredOn("IDLE"::equals)
                .hasSizeLessThan(2);
        assertThat(passes("drain-pool", "--yes", "-v", "wait=3m")).contains("0 of them changed something");

        daemon.ok("pool drain --undo");
        passes("check-node", "-v", "wait=3m");
        daemon.ok("cni del --pod default/stays");
    }

    @Test
    void aDrainThatDoesNotGoThroughIsUndone() {
        daemon.ok(
                "cloud fault add UnassignPrivateIpAddresses --code InternalError; cloud fault add DetachNetworkInterface"
                        + " --code InternalError; cloud fault add DeleteNetworkInterface --code InternalError");

        ProgramRunner.Result stopped = failsAt(4, "drain-pool", "expected", "--yes", "-v", "wait=2s");

        assertThat(stopped.out()).contains("the pool fills again: ", "pool drain --undo");
        daemon.ok("pool show | jq -e '.pool.order.kind != \"DRAINED\"'; cloud reset");
        passes("check-node", "-v", "wait=3m");
    }

    @Test
    void aNodeMovesToAnotherVswitchOnceItIsConfiguredAndItsPodsHaveLeft() throws Exception {
        daemon.ok("cni add --pod default/last --timeout 60s");
        assertThat(failsAt(4, "move-vswitch", "expected", "--yes", "-v", "vswitch=vsw-new")
                        .out())
                .contains("the running daemon has no vsw-new", "restart the daemon")
                .doesNotContain("pool drain");

        daemon.terminate();
        vswitch("vsw-new");
        daemon.start("--emulate");
        assertThat(failsAt(4, "move-vswitch", "saw 1", "--yes", "-v", "vswitch=vsw-new", "-v", "wait=1s")
                        .out())
                .contains("default/last has an address in another vSwitch")
                .doesNotContain("pool drain");
        daemon.ok("cni del --pod default/last");
        passes("move-vswitch", "--yes", "-v", "vswitch=vsw-new", "-v", "wait=3m");

        assertThat(json("eni list -o json").findValuesAsText("vswitch")).containsOnly("vsw-new");
        assertThat(passes("move-vswitch", "--yes", "-v", "vswitch=vsw-new", "-v", "wait=3m"))
                .contains("0 of them changed something");
        assertThat(daemon.ok("cni add --pod default/first --timeout 60s")).contains("10.0.1.");
        daemon.ok("cni del --pod default/first");
        // the other tests do not care where the addresses come from
        assertThat(daemon.ok("pool show | jq -e '.pool.order == null'")).contains("true");
    }

    @Test
    void theProgramRunsOneByItsName() {
        ProgramRunner.Result result =
                programs.enipam("--socket", daemon.socket().toString(), "run", "check-node", "-v", "wait=3m");

        assertThat(result.status()).as(result.toString()).isZero();
        assertThat(result.out()).contains("0 of them changed something");
    }

    private String passes(String runbook, String... options) {
        ProgramRunner.Result result = run(runbook, options);
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        assertThat(result.err()).isEmpty();
        return result.out();
    }

    private ProgramRunner.Result failsAt(int status, String runbook, String why, String... options) {
        ProgramRunner.Result result = run(runbook, options);
        assertThat(result.status()).as(result.out() + result.err()).isEqualTo(status);
        assertThat(result.err()).contains(why);
        return result;
    }

    private ProgramRunner.Result run(String runbook, String... options) {
        List<String> words = new ArrayList<>(List.of("run", runbook));
        words.addAll(List.of(options));
        return daemon.shell().run(words.toArray(String[]::new));
    }

    /** Does it for so many pods, each of which may be refused. */
    private void trying(int pods, String command) {
        String lines =
                IntStream.range(0, pods).mapToObj(i -> "try " + command + i).collect(Collectors.joining("\n"));
        ProgramRunner.Result result = daemon.shell().run("run", "-c", lines);
        assertThat(result.status()).as(result.toString()).isZero();
    }

    private JsonNode json(String command) throws IOException {
        return JSON.readTree(daemon.ok(command));
    }
}
