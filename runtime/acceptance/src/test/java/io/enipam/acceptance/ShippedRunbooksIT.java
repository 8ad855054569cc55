package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each runbook of the library at a real daemon: it passes on a healthy node; with its fault it fails, or says what it found;
 * once that is mended it passes. One daemon for all; each test leaves it healthy, which the next one checks.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ShippedRunbooksIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path scratch;

    private Programs programs;
    private Path root;
    private @Nullable Process daemon;

    @BeforeAll
    void start() throws Exception {
        programs = new Programs(scratch);
        root = Files.createDirectory(scratch.resolve("root"));
        daemon = programs.start(Programs.daemon(), "--root", root.toString(), "--emulate");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        Files.exists(socket()) && attached("-c", "status").out().contains("READY"));
    }

    @AfterAll
    void stop() throws InterruptedException {
        if (daemon != null) {
            daemon.destroy();
            if (!daemon.waitFor(30, TimeUnit.SECONDS)) {
                daemon.destroyForcibly().waitFor();
            }
        }
    }

    @BeforeEach
    void healthy() {
        passes("check-node", "-v", "wait=60s");
    }

    @Test
    void aHealthyNodePassesAllThatOnlyLook() throws IOException {
        ok("cni add --pod default/steady --timeout 60s");
        passes("find-leaks");
        passes("recover-throttling", "-v", "wait=60s");
        passes("pre-upgrade-check", "-v", "wait=60s");
        passes("check-db");
        Path evidence = Files.createDirectory(scratch.resolve("evidence"));
        passes("collect-evidence", "-v", "dir=" + evidence);
        assertThat(JSON.readTree(evidence.resolve("status.json").toFile())
                        .path("phase")
                        .asText())
                .isEqualTo("READY");
        assertThat(evidence.resolve("inuse.json")).content().contains("default/steady");
        ok("cni del --pod default/steady");
    }

    @Test
    void aLeaseWhosePodIsGoneIsFoundAndTakenBack() {
        ok("cni add --pod default/gone --timeout 60s");
        ok("pod delete default/gone --yes");

        failsAt(4, "find-leaks", ".report.collected | length' == 0, and saw 1");
        assertThat(passes("fix-leaks")).contains("1 stale leases");
        passes("find-leaks");
        assertThat(passes("fix-leaks")).contains("0 stale leases");
    }

    @Test
    void anAddressThatTheCloudTookFromAPodIsNamed() throws IOException {
        // the first address may be the ENI's own, which cannot be taken off it
        ok("cni add --pod default/one --timeout 60s; cni add --pod default/two --timeout 60s");
        JsonNode lease = json("pool inuse | jq '[.leases[] | select(.resource.attributes.primary == \"false\")][0]'");
        String pod = lease.path("pod").asText();
        ok("cloud take-ip " + lease.at("/resource/addresses/0").asText().replaceFirst("/.*", "") + " --yes");

        failsAt(4, "post-reboot-check", "saw 1");
        failsAt(4, "find-leaks", "saw 1");
        assertThat(failsAt(4, "fix-leaks", "saw 1").out())
                .contains(pod + " has an address that is gone from the cloud");
        ok("cni del --pod " + pod);
        passes("find-leaks");
        passes("post-reboot-check");
        ok("cni del --pod default/" + (pod.endsWith("one") ? "two" : "one"));
    }

    @Test
    void throttlingIsWaitedFor() {
        ok("cloud fault add AssignPrivateIpAddresses --code Throttling.User");
        // more than the upper watermark, so that some are refused and the pool is empty
        trying(7, "cni add --timeout 1s --pod default/burst-");

        Programs.Result refused = failsAt(4, "recover-throttling", "expected", "-v", "wait=2s");
        assertThat(refused.out()).contains("ecs calls --failed", "Throttling.User", "ask for a higher quota");
        ok("cloud reset");
        passes("recover-throttling", "-v", "wait=3m");

        trying(7, "cni del --pod default/burst-");
    }

    @Test
    void anUpgradeWaitsForWhatIsHalfDone() {
        ok("cni add --pod default/kept --timeout 60s");
        ok("cloud fault add AssignPrivateIpAddresses --code InternalError; cloud fault add DescribeNetworkInterfaces"
                + " --code InternalError");
        trying(7, "cni add --timeout 1s --pod default/half-");

        assertThat(attached("run", "pre-upgrade-check", "-v", "wait=2s").status())
                .isEqualTo(4);
        ok("cloud reset");
        trying(7, "cni del --pod default/half-");
        passes("pre-upgrade-check", "-v", "wait=3m");
        ok("cni del --pod default/kept");
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
        assertThat(ok("pool show")).contains("watermark");
    }

    @Test
    void aFactoryIsSwappedAndPodsKeepTheirAddresses() throws IOException {
        ok("cni add --pod default/keeps --timeout 60s");
        String before =
                json("pool inuse -o json").at("/leases/0/resource/addresses/0").asText();

        failsAt(2, "swap-factory", "confirmed", "-v", "factory=eni-ip");
        passes("swap-factory", "--yes", "-v", "factory=eni-ip");
        assertThat(json("pool inuse -o json")
                        .at("/leases/0/resource/addresses/0")
                        .asText())
                .isEqualTo(before);
        failsAt(1, "swap-factory", "run failed", "--yes", "-v", "factory=nobodys");
        ok("cni del --pod default/keeps");
    }

    private String passes(String runbook, String... options) {
        Programs.Result result = run(runbook, options);
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        assertThat(result.err()).isEmpty();
        return result.out();
    }

    private Programs.Result failsAt(int status, String runbook, String why, String... options) {
        Programs.Result result = run(runbook, options);
        assertThat(result.status()).as(result.out() + result.err()).isEqualTo(status);
        assertThat(result.err()).contains(why);
        return result;
    }

    private Programs.Result run(String runbook, String... options) {
        List<String> words = new java.util.ArrayList<>(List.of("run", runbook));
        words.addAll(List.of(options));
        return attached(words.toArray(String[]::new));
    }

    /** Does it for so many pods, each of which may be refused. */
    private void trying(int pods, String command) {
        String lines =
                IntStream.range(0, pods).mapToObj(i -> "try " + command + i).collect(Collectors.joining("\n"));
        Programs.Result result = attached("run", "-c", lines);
        assertThat(result.status()).as(result.toString()).isZero();
    }

    private JsonNode json(String command) throws IOException {
        return JSON.readTree(ok(command));
    }

    private String ok(String commands) {
        Programs.Result result = attached("-c", commands);
        assertThat(result.status()).as(commands + ": " + result).isZero();
        return result.out();
    }

    private Path socket() {
        return root.resolve("run/enipam.sock");
    }

    private Programs.Result attached(String... words) {
        List<String> all = new java.util.ArrayList<>(List.of("--socket", socket().toString()));
        all.addAll(List.of(words));
        return programs.enipam(all.toArray(String[]::new));
    }
}
