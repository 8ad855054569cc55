package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.daemon.testing.FakeSurroundings;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.store.JournaledResourceDb;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code --recover} from the command line to the files, on a cloud in memory. */
class RecoverCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final FakeSurroundings surroundings = new FakeSurroundings();

    @TempDir
    Path root;

    private Path database;

    @BeforeEach
    void anEmulatedCloud() throws IOException {
        database = root.resolve("lib/db");
        Files.createDirectories(root.resolve("cloud"));
        Files.writeString(root.resolve("cloud/state.json"), "");
    }

    private static Lease lease(int n) {
        String ip = "10.0.0." + n;
        return new Lease(
                new OwnerKey("enipam", "box-" + n, "eth0"),
                new PodRef("default", "web-" + n),
                "uid-" + n,
                new Resource(
                        new ResourceId("eni-a/" + ip),
                        ResourceKind.ENI_IP,
                        List.of(Address.parse(ip + "/24")),
                        "eni-a",
                        Map.of()),
                Duration.ZERO,
                Instant.parse("2026-11-21T12:00:00Z"));
    }

    /** A database with three leases whose journal has a changed byte in the commit of the second one. */
    private void damagedDatabase(Change... before) throws IOException {
        Path live = root.resolve("live");
        try (ResourceDb db = JournaledResourceDb.open(live)) {
            List<Change> changes = new ArrayList<>(List.of(before));
            changes.add(new Change.PutLease(lease(1)));
            db.commit(changes).toCompletableFuture().join();
            db.commit(List.of(new Change.PutLease(lease(2))))
                    .toCompletableFuture()
                    .join();
            db.commit(List.of(new Change.PutLease(lease(3))))
                    .toCompletableFuture()
                    .join();
            Files.createDirectories(database);
            try (Stream<Path> files = Files.list(live)) {
                for (Path file : files.toList()) {
                    Files.copy(file, database.resolve(file.getFileName()));
                }
            }
        }
        Path journal = journal();
        byte[] bytes = Files.readAllBytes(journal);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("uid-2");
        bytes[at + 4] = '7';
        Files.write(journal, bytes);
    }

    private Path journal() throws IOException {
        try (Stream<Path> files = Files.list(database)) {
            return files.filter(file -> file.getFileName().toString().startsWith("journal-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private List<Lease> leases() {
        try (ResourceDb db = JournaledResourceDb.open(database)) {
            return db.contents().leases();
        }
    }

    private int recover(String... more) {
        List<String> args = new ArrayList<>(List.of("--root", root.toString(), "--emulate", "--recover"));
        args.addAll(List.of(more));
        return run(args.toArray(String[]::new));
    }

    private int run(String... args) {
        return new CommandLine(new DaemonMain(surroundings, FakeSurroundings.assembly()))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @Test
    void whatProvesItselfIsKeptAndTheOldFilesAre() throws IOException {
        damagedDatabase();

        assertThat(recover()).as(err.toString()).isZero();

        assertThat(leases()).containsExactlyInAnyOrder(lease(1), lease(3));
        assertThat(out.toString())
                .contains("is damaged at offset")
                .contains("of the 4 commits that are known to have been made these are missing: 3")
                .containsPattern("keep lease +10\\.0\\.0\\.1 +default/web-1 \\(box-1\\) +may be stale")
                .contains("keep lease 2")
                .contains("the old files are kept in " + database + ".damaged-");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aDryRunWritesNothing() throws IOException {
        damagedDatabase();
        byte[] before = Files.readAllBytes(journal());

        assertThat(recover("--dry-run")).isZero();

        assertThat(Files.readAllBytes(journal())).isEqualTo(before);
        try (Stream<Path> files = Files.list(root)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("lib", "live", "cloud");
        }
        try (Stream<Path> files = Files.list(root.resolve("lib"))) {
            assertThat(files).containsExactly(database);
        }
        assertThat(out.toString()).contains("Nothing was changed");
    }

    @Test
    void aCloudThatDoesNotAnswerIsUnknownAndSaidSo() throws IOException {
        damagedDatabase();
        surroundings.cloudAnswers = false;

        assertThat(recover("--wait", "1", "--yes")).isZero();

        assertThat(out.toString()).contains("cloud: no answer within 1 s: it counts as unknown");
        assertThat(leases()).hasSize(2);
    }

    @Test
    void anEmulatorThatDoesNotStartIsUnknownWithItsReason() throws IOException {
        damagedDatabase();
        surroundings.emulatorStarts = false;

        assertThat(recover("--yes")).isZero();

        assertThat(out.toString()).contains("cloud: could not be asked, and counts as unknown: no port is free");
    }

    /** The second half has the leases of 10.0.0.4 to 10.0.0.6, and the kernel knows no sandbox. */
    @Test
    void aJournalCutInHalfIsNotReplacedUnaskedAndTheAddressesOfItsLostLeasesAreKeptAsideForAnHour() throws IOException {
        halfADatabase();
        surroundings.listed =
                Stream.of(1, 2, 3, 4, 5, 6).map(n -> lease(n).resource()).toList();
        byte[] before = Files.readAllBytes(journal());

        assertThat(recover("--dry-run")).isZero();
        assertThat(recover()).isEqualTo(1);

        assertThat(err.toString())
                .contains(
                        "up to 3 leases may be lost, as the kernel knows no sandbox; possibly lent by a commit that is"
                                + " missing: 10.0.0.4, 10.0.0.5, 10.0.0.6; no pod gets these addresses before",
                        "nothing was changed",
                        "--yes");
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(out.toString()).contains("Up to 3 leases may be lost");
        assertThat(Files.readAllBytes(journal())).isEqualTo(before);

        Instant start = Instant.now();
        assertThat(recover("--yes")).as(err.toString()).isZero();
        try (ResourceDb db = JournaledResourceDb.open(database)) {
            assertThat(db.contents().leases()).containsExactlyInAnyOrder(lease(1), lease(2), lease(3));
            assertThat(db.contents().holds())
                    .extracting(hold -> hold.resource().id())
                    .containsExactlyInAnyOrder(
                            lease(4).resource().id(),
                            lease(5).resource().id(),
                            lease(6).resource().id());
            assertThat(db.contents().holds())
                    .allSatisfy(hold -> assertThat(hold.until()).isAfterOrEqualTo(start.plus(Duration.ofMinutes(59))));
        }
    }

    private void halfADatabase() throws IOException {
        Files.createDirectories(database);
        try (ResourceDb db = JournaledResourceDb.open(root.resolve("live"))) {
            for (int n = 1; n <= 6; n++) {
                db.commit(List.of(new Change.PutLease(lease(n))))
                        .toCompletableFuture()
                        .join();
            }
            try (Stream<Path> files = Files.list(root.resolve("live"))) {
                for (Path file : files.toList()) {
                    Files.copy(file, database.resolve(file.getFileName()));
                }
            }
        }
        byte[] bytes = Files.readAllBytes(journal());
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("uid-4");
        Files.write(journal(), Arrays.copyOf(bytes, at));
    }

    @Test
    void aSoundDatabaseIsLeftAlone() {
        try (ResourceDb db = JournaledResourceDb.open(database)) {
            db.commit(List.of(new Change.PutLease(lease(1))))
                    .toCompletableFuture()
                    .join();
        }

        assertThat(recover()).isZero();

        assertThat(out.toString()).contains("opens: there is nothing to recover, and nothing was changed");
        assertThat(leases()).containsExactly(lease(1));
    }

    @Test
    void aMissingDatabaseIsMadeFromWhatTheWitnessesKnow() {
        assertThat(recover()).isZero();

        assertThat(out.toString()).contains("There is no database in " + database, "there were no old files");
        assertThat(leases()).isEmpty();
    }

    @Test
    void aDatabaseThatAnotherProcessUsesIsRefused() {
        try (ResourceDb db = JournaledResourceDb.open(database)) {
            assertThat(recover()).isEqualTo(1);
        }
        assertThat(err.toString().lines()).singleElement().asString().contains("is in use by another process");
    }

    @Test
    void theDatabaseOfAnotherMachineIsRefused() throws IOException {
        damagedDatabase(
                new Change.PutNode(new NodeRecord(Optional.of(new NodeIdentity("i-other", "cn-hangzhou")), true)));
        byte[] before = Files.readAllBytes(journal());

        assertThat(recover()).isEqualTo(1);

        assertThat(err.toString()).contains("the database is of instance i-other in cn-hangzhou, and this is i-1");
        assertThat(Files.readAllBytes(journal())).isEqualTo(before);
    }

    @Test
    void anInterruptedRecoveryDoesItsLastStep() throws IOException {
        try (ResourceDb db = JournaledResourceDb.open(database)) {
            db.commit(List.of(new Change.PutLease(lease(1))))
                    .toCompletableFuture()
                    .join();
        }
        Files.move(database, database.resolveSibling("db.rebuilt"));

        assertThat(recover("--dry-run")).isZero();
        assertThat(database).doesNotExist();
        assertThat(recover()).isZero();

        assertThat(out.toString()).contains("interrupted before its last step");
        assertThat(leases()).containsExactly(lease(1));
    }

    @Test
    void whatMakesNoSenseOnTheCommandLineIsRefused() {
        assertThat(run("--dry-run")).isEqualTo(2);
        assertThat(run("--output", "json")).isEqualTo(2);
        assertThat(recover("--check-config")).isEqualTo(2);
        assertThat(recover("--wait", "0")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--dry-run is of use with --recover only")
                .contains("--output is of use with --recover only")
                .contains("--recover cannot be combined with --check-config")
                .contains("--wait 0: 1 to 3600 seconds are allowed");
    }
}
