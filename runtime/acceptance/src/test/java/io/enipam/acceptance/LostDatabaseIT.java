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
import org.junit.jupiter.api.Test;

/** What becomes of running pods when {@code lib/db} is gone, or is another machine's: over the real daemon and the emulator. */
class LostDatabaseIT extends DaemonFixture {
    /** As many addresses as the instance type has for pods. */
    private static final int CAPACITY = 6;

    private static final JsonMapper JSON = new JsonMapper();

    @Test
    void podsKeepTheirAddressesAndNoneIsLentTwiceAfterTheDatabaseOfASandboxWasLost() throws Exception {
        configure(root, "emulator:\n  instance_type: ecs.g6.large\npool:\n  cool_down: 0s\n");
        daemon.start("--emulate", "--log-level", "info");
        for (String pod : List.of("a", "b", "c", "d")) {
            daemon.ok("cni add --pod default/" + pod + " --container c-" + pod);
        }
        daemon.ok("cni del --pod default/d --container c-d");
        daemon.ok("pod delete default/c --yes");
        Map<String, String> before = leases();
        assertThat(before).containsOnlyKeys("c-a", "c-b", "c-c");
        loseDatabase();

        daemon.start("--emulate", "--log-level", "info");

        assertThat(leases()).as("rebuilt").isEqualTo(before);
        assertThat(daemon.ok("events")).contains("LeaseRebuilt");
        assertThat(daemon.ok("gc run")).contains("default/c");
        assertThat(leases())
                .as("the deleted pod's is collected, the others' stay")
                .containsOnlyKeys("c-a", "c-b");
        String again = daemon.ok("cni add --pod default/a --container c-a");
        assertThat(again).contains(before.get("c-a"), "repeated");
        fillUpAndExpectNoAddressTwice();
        daemon.ok("cni del --pod default/b --container c-b");
        assertThat(leases()).doesNotContainKey("c-b");
    }

    @Test
    void theSameHoldsForADaemonWithoutAClusterOnACloudOfItsOwn() throws Exception {
        try (CloudProcess cloud =
                CloudProcess.start(programs, scratch.resolve("cloud.log"), "--instance-type", "ecs.g6.large")) {
            configure(root, cloud.daemonConfig() + "pool: {cool_down: 0s}\n");
            Files.writeString(
                    Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json"), CloudProcess.account());
            daemon.start("--log-level", "info");
            daemon.ok("cni add --pod default/a --container c-a; cni add --pod default/b --container c-b");
            Map<String, String> before = leases();
            loseDatabase();

            daemon.start("--log-level", "info");

            assertThat(leases()).isEqualTo(before);
            assertThat(daemon.ok("gc run; pool inuse")).contains("default/a", "default/b");
            fillUpAndExpectNoAddressTwice();
            daemon.kill();
        }
    }

    @Test
    void leasesFromBeforeAndAfterTheDatabaseWasRemovedUnderARunningDaemonSurviveAKill() throws Exception {
        configure(root, "emulator:\n  instance_type: ecs.g6.large\npool:\n  cool_down: 0s\n");
        daemon.start("--emulate", "--log-level", "info");
        daemon.ok("cni add --pod default/a --container c-a; cni add --pod default/b --container c-b");
        // in one step: the daemon may write all anew at any moment
        deleteAll(Files.move(root.resolve("lib/db"), scratch.resolve("removed")));

        Awaitility.await("an ADD is acknowledged again")
                .atMost(Duration.ofSeconds(60))
                .until(() -> daemon.attached("cni add --pod default/c --container c-c")
                                .status()
                        == 0);
        assertThat(daemon.ok("events"))
                .contains("DatabaseUnwritable", "was removed or replaced while the database was in use")
                .contains("DatabaseWritable");
        assertThat(daemon.ok("db verify")).contains("sound up to commit");
        Map<String, String> before = leases();
        assertThat(before).containsOnlyKeys("c-a", "c-b", "c-c");
        daemon.kill();

        daemon.start("--emulate", "--log-level", "info");

        assertThat(leases()).isEqualTo(before);
        assertThat(daemon.ok("events")).as("all of it was on disk").doesNotContain("LeaseRebuilt");
    }

    /** A disk image taken of another node: its leases are of pods that run there. */
    @Test
    void theDatabaseOfAnotherInstanceIsNotTakenOver() throws Exception {
        daemon.start("--emulate", "--log-level", "info");
        daemon.ok("cni add --pod default/a --container c-a");
        daemon.kill();
        Path clone = Files.createDirectory(scratch.resolve("clone"));
        configure(clone, "emulator:\n  seed: 2\n");
        Files.createDirectories(clone.resolve("lib/db"));
        try (Stream<Path> files = Files.list(root.resolve("lib/db"))) {
            for (Path file : files.toList()) {
                Files.copy(file, clone.resolve("lib/db").resolve(file.getFileName()));
            }
        }
        daemon = new DaemonWithShell(programs, clone);

        daemon.launch("--emulate", "--log-level", "info");

        Awaitility.await("it says what is wrong")
                .atMost(Duration.ofSeconds(60))
                .until(() -> daemon.attached("status").out().contains("halted after"));
        assertThat(daemon.ok("status"))
                .contains("RECOVERING", "the database is of instance i-", "move its database directory aside");
        // again where a busy machine holds the daemon up: it can only say then that the time is over
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            ProgramRunner.Result refused = daemon.attached("cni add --pod default/b --timeout 2s");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err()).contains("TRY_AGAIN");
        });
        assertThat(daemon.ok("eni list")).as("nothing of the cloud is touched").doesNotContain("eni-");

        daemon.kill();
        deleteAll(clone.resolve("lib/db"));
        daemon.start("--emulate", "--log-level", "info");
        daemon.ok("cni add --pod default/b --container c-b");
    }

    private void fillUpAndExpectNoAddressTwice() throws IOException {
        for (int i = leases().size(); i < CAPACITY; i++) {
            daemon.ok("cni add --pod default/more-" + i + " --container m-" + i + " --timeout 30s");
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
                JSON.readTree(daemon.ok("db dump --bucket leases -o json")).path("records")) {
            JsonNode lease = JSON.readTree(record.path("value").asText());
            leases.put(
                    lease.path("owner").asText().split("/")[1],
                    lease.path("resource").path("addresses").get(0).asText());
        }
        return leases;
    }

    private void loseDatabase() throws Exception {
        daemon.kill();
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
}
