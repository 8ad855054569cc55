package io.enipam.store;

import static io.enipam.store.TestRecords.NOON;
import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.hold;
import static io.enipam.store.TestRecords.keys;
import static io.enipam.store.TestRecords.put;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.CrashPoint.Location;
import io.enipam.sdk.ResourceId;
import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.testing.SimulatedDisk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds and disposals under the names of factories. {@code format-3.zip} is a directory that the last program of format 3 wrote, whose
 * keys have the ids alone: a checkpoint of commit 6, and a journal whose process was killed four commits later.
 * {@code backup-format-1.jsonl} is a backup of the same.
 */
class FactoryKeysTest {
    private static final Logger FIGURES = LoggerFactory.getLogger("figures");
    private static final Map<String, List<String>> TODAY = Map.of(
            "leases",
            List.of("cbr0/sandbox-1/eth0", "cbr0/sandbox-2/eth0", "cbr0/sandbox-3/eth0"),
            "reservations",
            List.of("/eni-a/10.0.0.23"),
            "quarantine",
            List.of("cidr/eni-a/10.0.0.21", "eni-ip/eni-a/10.0.0.20", "eni-ip/eni-a/10.0.0.24"),
            "intents",
            List.of("/eni-a/10.0.0.30", "enipam-token-1"));

    @TempDir
    Path temp;

    private final Map<String, byte[]> former = new TreeMap<>();
    private Path directory;
    private int lives;

    @BeforeEach
    void aDirectoryOfFormat3() throws IOException {
        directory = Files.createDirectory(temp.resolve("db"));
        try (InputStream file = Objects.requireNonNull(getClass().getResourceAsStream("/format-3.zip"));
                ZipInputStream zip = new ZipInputStream(file)) {
            ZipEntry entry = zip.getNextEntry();
            while (entry != null) {
                former.put(entry.getName(), zip.readAllBytes());
                entry = zip.getNextEntry();
            }
        }
        for (Map.Entry<String, byte[]> file : former.entrySet()) {
            Files.write(directory.resolve(file.getKey()), file.getValue());
        }
    }

    private static void assertKeysOfToday(ResourceDb db, String when) {
        TODAY.forEach((bucket, keys) ->
                assertThat(keys(db, bucket)).as("%s: %s", when, bucket).isEqualTo(keys));
        assertThat(db.contents().intents())
                .as(when)
                .contains(
                        Intent.dispose(new ResourceKey("", new ResourceId("eni-a/10.0.0.30")), NOON),
                        new Intent("enipam-token-1", Intent.Action.CREATE, NOON, ""));
    }

    // ---- two factories

    @Test
    void twoFactoriesResourcesOfOneIdAreHeldAtOnceAndDisposedOfAtOnce() {
        ResourceKey one = ResourceKey.of(hold(1, "one").resource());
        ResourceKey other = ResourceKey.of(hold(1, "other").resource());
        Path fresh = temp.resolve("fresh");
        try (ResourceDb db = JournaledResourceDb.open(fresh, ROOMY)) {
            commit(
                    db,
                    new Change.PutHold(hold(1, "one")),
                    new Change.PutHold(hold(1, "other")),
                    new Change.PutIntent(Intent.dispose(one, NOON)),
                    new Change.PutIntent(Intent.dispose(other, NOON)));
        }
        try (JournaledResourceDb db = JournaledResourceDb.open(fresh, ROOMY, new LocalDisk())) {
            assertThat(keys(db, "reservations")).containsExactly("one/eni-a/10.0.0.1", "other/eni-a/10.0.0.1");
            assertThat(db.contents().intents()).containsExactly(Intent.dispose(one, NOON), Intent.dispose(other, NOON));
            assertThat(db.tools().verify().problems()).isEmpty();
            commit(
                    db,
                    new Change.RemoveHold(one),
                    new Change.RemoveIntent(Intent.dispose(other, NOON).key()));
        }
        try (ResourceDb db = JournaledResourceDb.open(fresh, ROOMY)) {
            assertThat(keys(db, "reservations")).containsExactly("other/eni-a/10.0.0.1");
            assertThat(keys(db, "intents")).containsExactly("one/eni-a/10.0.0.1");
        }
    }

    @Test
    void aBackupHasBothAndARestoreBringsBothBack() {
        Path file = temp.resolve("b");
        Path fresh = temp.resolve("fresh");
        try (JournaledResourceDb db = ToolsFixture.open(fresh)) {
            commit(db, put(7), new Change.PutHold(hold(1, "one")), new Change.PutHold(hold(1, "other")));
            db.tools().backup(file, ToolsFixture.HERE, false);
            commit(db, new Change.RemoveHold(ResourceKey.of(hold(1, "one").resource())));
            db.tools().restore(ToolsFixture.careful(file));
        }
        new OfflineTools(fresh, ROOMY, new LocalDisk()).finishRestore();
        try (JournaledResourceDb db = ToolsFixture.open(fresh)) {
            assertThat(keys(db, "reservations")).containsExactly("one/eni-a/10.0.0.1", "other/eni-a/10.0.0.1");
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    // ---- format 3

    @Test
    void aDatabaseOfFormat3IsReadAndItsRowsGetTheKeysOfToday() {
        for (int opening = 0; opening < 3; opening++) {
            try (JournaledResourceDb db = JournaledResourceDb.open(directory, SMALL, new LocalDisk())) {
                assertKeysOfToday(db, "opening " + opening);
                assertThat(db.tools().verify().problems()).isEmpty();
            }
        }
        assertThat(verified(directory)).isEmpty();
    }

    private static List<Verification.Problem> verified(Path directory) {
        return new OfflineTools(directory, SMALL, new LocalDisk()).verify().problems();
    }

    @Test
    void beforeItIsOpenedItIsAsSoundAsItWasAndNothingChangesIt() throws IOException {
        assertThat(verified(directory)).isEmpty();
        for (Map.Entry<String, byte[]> file : former.entrySet()) {
            assertThat(Files.readAllBytes(directory.resolve(file.getKey()))).isEqualTo(file.getValue());
        }
    }

    @Test
    void afterwardsAProgramOfFormat3RefusesIt() throws IOException {
        Path killed;
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            killed = Directories.copy(directory, temp.resolve("killed"));
            assertKeysOfToday(db, "while it is open");
        }
        assertThat(Files.readString(new StoreDirectory(killed).segment(6, 0), ISO_8859_1))
                .contains("put\tmeta\tdatabase\t{\"v\":1,\"format\":4,\"created\":\"" + NOON + "\"}");
    }

    @Test
    void withoutItsCheckpointTheJournalGivesTheSame() throws IOException {
        Files.delete(new StoreDirectory(directory).checkpoint(6));
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            assertKeysOfToday(db, "by the journal alone");
        }
    }

    @Test
    void aDeathAtAnyOperationOfTheMigrationLeavesItToTheNextStart() throws IOException {
        List<Location> points =
                migrate(SimulatedDisk.with(former, life(), CrashPoint.never())).points();
        for (Location point : points) {
            SimulatedDisk disk = SimulatedDisk.with(former, life(), CrashPoint.crashAt(point));
            migrate(disk);
            for (SimulatedDisk found : List.of(
                    disk.afterKill(life(), CrashPoint.never()),
                    disk.afterPowerLoss(life(), CrashPoint.never()),
                    disk.afterLatePowerLoss(life(), CrashPoint.never()),
                    disk.afterPowerLoss(new Random(points.indexOf(point)), life(), CrashPoint.never()))) {
                migrate(found);
                try (JournaledResourceDb db = JournaledResourceDb.open(found.directory(), SMALL, found)) {
                    assertKeysOfToday(db, disk.fate().describe());
                    assertThat(db.tools().verify().problems()).isEmpty();
                    commit(db, new Change.RemoveHold(new ResourceKey("cidr", new ResourceId("eni-a/10.0.0.21"))));
                    assertThat(keys(db, "quarantine")).doesNotContain("cidr/eni-a/10.0.0.21");
                }
            }
        }
        FIGURES.info("crash points of the migration to format 4: {}, none wrong", points.size());
        assertThat(points).hasSizeGreaterThan(8);
    }

    private Path life() throws IOException {
        return Files.createDirectory(temp.resolve("life-" + lives++));
    }

    /** Opens it, commits once, and closes it, which writes a checkpoint; or dies on the way. */
    private static CrashPoint migrate(SimulatedDisk disk) {
        try (JournaledResourceDb db = JournaledResourceDb.open(disk.directory(), SMALL, disk)) {
            assertKeysOfToday(db, "after the opening");
            commit(db, put(3));
        } catch (StoreException | CompletionException e) {
            if (!disk.fate().hasCrashed()) {
                throw e;
            }
        }
        return disk.fate();
    }

    // ---- what is left of it

    @Test
    void whatIsLeftOfADamagedOneHasTheKeysOfTodayWhicheverCommitIsMissing() throws IOException {
        Path killed;
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            commit(
                    db,
                    new Change.RemoveHold(new ResourceKey("eni-ip", new ResourceId("eni-a/10.0.0.20"))),
                    new Change.PutHold(hold(20, "other")));
            killed = Directories.copy(directory, temp.resolve("killed"));
        }
        Path journal = new StoreDirectory(killed).segment(6, 0);
        byte[] image = Files.readAllBytes(journal);
        List<Integer> frames = new ArrayList<>();
        for (int at = SegmentHeader.BYTES;
                FrameHeader.read(image, at).isPresent();
                at += FrameHeader.read(image, at).orElseThrow().size()) {
            frames.add(at);
        }
        assertThat(frames).hasSize(6);
        for (int lost : List.of(0, 3, 4)) { // a lease, a hold of then, and the commit between the two formats
            Path damaged = Directories.copy(killed, temp.resolve("damaged-" + lost));
            Directories.flip(damaged.resolve(journal.getFileName()), 8L * (frames.get(lost) + FrameHeader.BYTES + 3));
            try (DamagedStore store = DamagedStore.open(damaged)) {
                assertThat(store.read().records().holds())
                        .as("without frame %d", lost)
                        .extracting(
                                hold -> ResourceKey.of(hold.value().resource()).path())
                        .contains("other/eni-a/10.0.0.20", "cidr/eni-a/10.0.0.21", "/eni-a/10.0.0.23")
                        .doesNotContain("eni-ip/eni-a/10.0.0.20")
                        .doesNotHaveDuplicates();
            }
        }
    }

    // ---- files of then

    @Test
    void aBackupOfThenIsRestoredUnderTheKeysOfToday() throws IOException {
        Path file = temp.resolve("b");
        try (InputStream recorded = Objects.requireNonNull(getClass().getResourceAsStream("/backup-format-1.jsonl"))) {
            Files.write(file, recorded.readAllBytes());
        }
        Path fresh = temp.resolve("fresh");
        try (JournaledResourceDb db = ToolsFixture.open(fresh)) {
            db.tools().restore(ToolsFixture.careful(file));
        }
        new OfflineTools(fresh, ROOMY, new LocalDisk()).finishRestore();
        try (JournaledResourceDb db = ToolsFixture.open(fresh)) {
            for (String bucket : List.of("leases", "reservations", "quarantine")) {
                assertThat(keys(db, bucket)).isEqualTo(TODAY.get(bucket));
            }
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    @Test
    void aRowOfTodayUnderAFormerKeyIsAProblem() {
        try (JournaledResourceDb db = ToolsFixture.open(temp.resolve("fresh"))) {
            commit(db, new Change.PutHold(hold(1, "one")));
            String json = db.records().get(0).json();
            db.submit(List.of(
                            Mutation.remove(Bucket.RESERVATIONS, "one/eni-a/10.0.0.1"),
                            Mutation.put(Bucket.RESERVATIONS, "eni-a/10.0.0.1", json.getBytes(UTF_8))))
                    .join();
            assertThat(db.tools().verify().problems())
                    .extracting(Verification.Problem::message)
                    .containsExactly("its content belongs to reservations/one/eni-a/10.0.0.1");
        }
    }
}
