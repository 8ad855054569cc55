package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of running pods when {@code lib/db} is gone, or is another machine's: over the real daemon and the emulator. */
class LostDatabaseIT {
    /** As many addresses as the instance type has for pods. */
    private static final int CAPACITY = 6;

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path scratch;

    private Programs programs;
    private Path root;
    private @Nullable Process daemon;
    private int logs;

    @BeforeEach
    void prepare() throws IOException {
        programs = new Programs(scratch);
        root = Files.createDirectory(scratch.resolve("root"));
    }

    @AfterEach
    void stop() throws InterruptedException {
        kill();
    }

    @Test
    void podsKeepTheirAddressesAndNoneIsLentTwiceAfterTheDatabaseOfASandboxWasLost() throws Exception {
        configure(root, "emulator:\n  instance_type: ecs.g6.large\npool:\n  cool_down: 0s\n");
        start(root, "--emulate");
        for (String pod : List.of("a", "b", "c", "d")) {
            ok("cni add --pod default/" + pod + " --container c-" + pod);
        }
        ok("cni del --pod default/d --container c-d");
        ok("pod delete default/c --yes");
        Map<String, String> before = leases();
        assertThat(before).containsOnlyKeys("c-a", "c-b", "c-c");
        loseDatabase();

        start(root, "--emulate");

        assertThat(leases()).as("rebuilt").isEqualTo(before);
        assertThat(ok("events")).contains("LeaseRebuilt");
        assertThat(ok("gc run")).contains("default/c");
        assertThat(leases())
                .as("the deleted pod's is collected, the others' stay")
                .containsOnlyKeys("c-a", "c-b");
        String again = ok("cni add --pod default/a --container c-a");
        assertThat(again).contains(before.get("c-a"), "repeated");
        fillUpAndExpectNoAddressTwice();
        ok("cni del --pod default/b --container c-b");
        assertThat(leases()).doesNotContainKey("c-b");
    }

    @Test
    void theSameHoldsForADaemonWithoutAClusterOnACloudOfItsOwn() throws Exception {
        try (CloudProgram cloud =
                CloudProgram.start(programs, scratch.resolve("cloud.log"), "--instance-type", "ecs.g6.large")) {
            configure(root, cloud.daemonConfig() + "pool: {cool_down: 0s}\n");
            Files.writeString(
                    Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json"), CloudProgram.account());
            start(root);
            ok("cni add --pod default/a --container c-a; cni add --pod default/b --container c-b");
            Map<String, String> before = leases();
            loseDatabase();

            start(root);

            assertThat(leases()).isEqualTo(before);
            assertThat(ok("gc run; pool inuse")).contains("default/a", "default/b");
            fillUpAndExpectNoAddressTwice();
            kill();
        }
    }

    /** A disk image taken of another node: its leases are of pods that run there. */
    @Test
    void theDatabaseOfAnotherInstanceIsNotTakenOver() throws Exception {
        start(root, "--emulate");
        ok("cni add --pod default/a --container c-a");
        kill();
        Path clone = Files.createDirectory(scratch.resolve("clone"));
        configure(clone, "emulator:\n  seed: 2\n");
        Files.createDirectories(clone.resolve("lib/db"));
        try (Stream<Path> files = Files.list(root.resolve("lib/db"))) {
            for (Path file : files.toList()) {
                Files.copy(file, clone.resolve("lib/db").resolve(file.getFileName()));
            }
        }
        root = clone;

        launch(clone, "--emulate");

        Awaitility.await("it says what is wrong")
                .atMost(Duration.ofSeconds(60))
                .until(() -> attached("status").out().contains("halted after"));
        assertThat(ok("status"))
                .contains("RECOVERING", "the database is of instance i-", "move its database directory aside");
        Programs.Result refused = attached("cni add --pod default/b --timeout 2s");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("TRY_AGAIN");
        assertThat(ok("eni list")).as("nothing of the cloud is touched").doesNotContain("eni-");

        kill();
        deleteAll(clone.resolve("lib/db"));
        start(clone, "--emulate");
        ok("cni add --pod default/b --container c-b");
    }

    private void fillUpAndExpectNoAddressTwice() throws IOException {
        for (int i = leases().size(); i < CAPACITY; i++) {
            ok("cni add --pod default/more-" + i + " --container m-" + i + " --timeout 30s");
        }
        Map<String, String> all = leases();
        assertThat(all).hasSize(CAPACITY);
        Set<String> addresses = new HashSet<>(all.values());
        assertThat(addresses).as("no address twice in %s", all).hasSize(CAPACITY);
    }

    /** The rows on disk: container to address. */
    private Map<String, String> leases() throws IOException {
        Map<String, String> leases = new TreeMap<>();
        for (JsonNode record :
                JSON.readTree(ok("db dump --bucket leases -o json")).path("records")) {
            JsonNode lease = JSON.readTree(record.path("value").asText());
            leases.put(
                    lease.path("owner").asText().split("/")[1],
                    lease.path("resource").path("addresses").get(0).asText());
        }
        return leases;
    }

    private void loseDatabase() throws Exception {
        kill();
        deleteAll(root.resolve("lib/db"));
    }

    private static void deleteAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void configure(Path root, String yaml) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"), yaml);
    }

    private Path socket() {
        return root.resolve("run/enipam.sock");
    }

    private void start(Path at, String... options) {
        launch(at, options);
        Awaitility.await("the daemon serves")
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> attached("status").out().contains("READY"));
    }

    private void launch(Path at, String... options) {
        Stream<String> common = Stream.of("--root", at.toString(), "--log-level", "info");
        daemon = programs.startLogged(
                scratch.resolve("enipamd-" + logs++ + ".log"),
                Map.of(),
                Programs.daemon(),
                Stream.concat(common, Stream.of(options)).toArray(String[]::new));
        Awaitility.await("the daemon has a socket")
                .atMost(Duration.ofSeconds(60))
                .until(() -> Files.exists(socket()) && attached("version").status() == 0);
    }

    private void kill() throws InterruptedException {
        Process running = daemon;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    private Programs.Result attached(String commands) {
        return programs.enipam("--socket", socket().toString(), "-c", commands);
    }

    private String ok(String commands) {
        Programs.Result result = attached(commands);
        assertThat(result.status()).as(commands + ": " + result).isZero();
        return result.out();
    }
}
