package io.enipam.store;

import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;
import static io.enipam.store.ToolsFixture.careful;
import static io.enipam.store.ToolsFixture.determined;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.PodRef;
import io.enipam.store.DatabaseTools.FinishedRestore;
import io.enipam.store.DatabaseTools.NodeName;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.DatabaseTools.RestoreRequest;
import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.StagedRestore.PreRestoreDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoreTest {
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("db");
    }

    private Optional<FinishedRestore> finish(Disk disk) {
        return new OfflineTools(directory(), ROOMY, disk).finishRestore();
    }

    private JournaledResourceDb reopened() {
        finish(new LocalDisk());
        return ToolsFixture.open(directory());
    }

    private List<String> leases(ResourceDb db) {
        return TestRecords.keys(db, "leases");
    }

    @Test
    void exportImportExportGivesTheSameBytes() {
        String before;
        Path file = temp.resolve("e");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            before = ToolsFixture.export(db);
            ToolsFixture.exported(db, file);
            RestorePlan plan = db.tools().restore(careful(file));
            assertThat(plan.kept()).isEqualTo(3);
            assertThat(plan.lost()).isEmpty();
            assertThat(plan.returning()).isZero();
            assertThat(plan.leftOut()).isZero();
            assertThat(ToolsFixture.export(db)).isEqualTo(before);
        }
        try (JournaledResourceDb db = reopened()) {
            assertThat(ToolsFixture.export(db)).isEqualTo(before);
            assertThat(db.tools().verify().problems()).isEmpty();
        }
        assertThat(Directories.files(temp, "db.before-restore-20261121T120000Z"))
                .hasSize(1);
    }

    @Test
    void aRestoreBringsBackWhatWasAndNobodySeesItBeforeTheDatabaseIsOpenedAgain() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
            commit(db, new Change.RemoveLease(owner(2)));

            RestorePlan plan = db.tools().restore(careful(file));

            assertThat(plan.returning()).isEqualTo(1);
            assertThat(leases(db)).hasSize(2);
        }
        try (JournaledResourceDb db = reopened()) {
            assertThat(leases(db)).hasSize(3);
        }
    }

    @Test
    void leasesInForceAreNotLostUnlessThatIsAgreedTo() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
            commit(db, put(7));

            assertThat(db.tools().restore(ToolsFixture.dryRun(file)).lost())
                    .extracting(lost -> lost.lease().pod() + " " + lost.why())
                    .containsExactly("default/web-7 not in the file");
            assertThatThrownBy(() -> db.tools().restore(careful(file)))
                    .isInstanceOfSatisfying(
                            DatabaseFileException.class,
                            e -> assertThat(e.reason()).isEqualTo(DatabaseFileException.Reason.NOT_AGREED))
                    .hasMessage("1 lease in force would be lost: default/web-7 (not in the file)");
            assertThat(finish(new FaultyDisk())).isEmpty();

            Set<String> named = Set.of(owner(7).toString());
            db.tools().restore(new RestoreRequest(file, "b", ToolsFixture.HERE, false, named, false, false));
        }
        try (JournaledResourceDb db = reopened()) {
            assertThat(leases(db)).hasSize(3).doesNotContain(owner(7).toString());
        }
    }

    @Test
    void aLeaseWhoseAddressTheFileGivesToAnotherPodCountsAsLost() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
            String twin = db.records().stream()
                    .filter(record -> record.key().equals(owner(1).toString()))
                    .findFirst()
                    .orElseThrow()
                    .json()
                    .replace("sandbox-1", "sandbox-9")
                    .replace("web-1", "web-9");
            commit(db, new Change.RemoveLease(owner(1)));
            db.submit(List.of(Mutation.put(Bucket.LEASES, owner(9).toString(), twin.getBytes(UTF_8))))
                    .join();

            assertThatThrownBy(() -> db.tools().restore(careful(file)))
                    .hasMessageContaining("default/web-9 (the file lends the address to default/web-1)");
        }
    }

    @Test
    void whatHappensBetweenStagingAndTheNextStartCounts() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
            commit(db, new Change.RemoveOperation(ToolsFixture.operation(1).id()));
            db.tools().restore(determined(file));
            commit(db, put(8));
            commit(db, new Change.RemoveLease(owner(3)), new Change.PutHold(TestRecords.hold(3)));
            commit(db, new Change.PutOperation(ToolsFixture.operation(2)));
        }
        try (JournaledResourceDb db = reopened()) {
            // one made since is there, one ended since is not and cools down
            assertThat(leases(db)).containsExactly(owner(1).toString(), owner(2).toString(), owner(8).toString());
            assertThat(TestRecords.keys(db, "reservations")).contains("/eni-a/10.0.0.3");
            // what is pending in the cloud is the node's, never the file's
            assertThat(TestRecords.keys(db, "operations"))
                    .containsExactly(ToolsFixture.operation(2).id());
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    @Test
    void aRestoredDatabaseCountsAsUnsettledAndKeepsItsNode() {
        Path file = temp.resolve("b");
        NodeIdentity here = new NodeIdentity("i-1", "cn-hangzhou");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            commit(db, new Change.PutNode(new NodeRecord(Optional.of(here), true)));
            db.tools().backup(file, ToolsFixture.HERE, false);
            db.tools().restore(careful(file));
        }
        try (JournaledResourceDb db = reopened()) {
            assertThat(db.contents().node()).contains(new NodeRecord(Optional.of(here), false));
        }
    }

    @Test
    void anotherNodesBackupIsRefusedUnlessItIsAskedFor() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, new NodeName("node-1", "i-2"), false);

            assertThatThrownBy(() -> db.tools().restore(careful(file)))
                    .hasMessageEndingWith("holds the records of node node-1 (i-2), this is node-1 (i-1)");
            assertThat(db.tools().restore(determined(file)).otherNode()).isTrue();
        }
    }

    @Test
    void offlineTheDatabaseSaysItselfWhoseItIs() {
        Path file = temp.resolve("b");
        NodeName nobody = new NodeName("", "");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            commit(db, new Change.PutNode(new NodeRecord(Optional.of(new NodeIdentity("i-1", "cn-hangzhou")), true)));
            db.tools().backup(file, new NodeName("node-2", "i-2"), false);
        }

        assertThatThrownBy(() -> new OfflineTools(directory(), ROOMY, new LocalDisk())
                        .restore(careful(file).by(nobody)))
                .hasMessageContaining("holds the records of node node-2 (i-2)");
    }

    @Test
    void aStagedDatabaseThatIsDamagedIsPutAsideAndThePresentOneGoesOn() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
            commit(db, put(7));
            db.tools().restore(determined(file));
        }
        Path staged = temp.resolve("db.staged");
        for (Path checkpoint : Directories.files(staged, "checkpoint-")) {
            Directories.flip(checkpoint, 9000);
        }
        for (Path journal : Directories.files(staged, "journal-")) {
            Directories.flip(journal, (SegmentHeader.BYTES + 60) * 8L);
        }

        Optional<FinishedRestore> done = finish(new LocalDisk());

        assertThat(done)
                .hasValueSatisfying(restore -> assertThat(restore.taken()).isFalse());
        assertThat(Directories.files(temp, "db.staged-not-taken-")).hasSize(1);
        try (JournaledResourceDb db = ToolsFixture.open(directory())) {
            assertThat(leases(db)).hasSize(4);
        }
    }

    @Test
    void aDamagedDatabaseIsRestoredOverOnlyWhenItsLeasesAreGivenUp() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
        }
        Directories.flip(Directories.last(directory(), "journal-"), 8);
        OfflineTools offline = new OfflineTools(directory(), ROOMY, new LocalDisk());
        assertThatThrownBy(() -> offline.restore(careful(file)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is damaged");

        offline.restore(determined(file));
        assertThat(offline.finishRestore())
                .hasValueSatisfying(done -> assertThat(done.taken()).isTrue());

        try (JournaledResourceDb db = ToolsFixture.open(directory())) {
            assertThat(leases(db)).hasSize(3);
        }
        assertThat(Directories.files(temp, "db.before-restore-")).hasSize(1);
    }

    @Test
    void noRoomLeavesEverythingAsItWas() {
        Path file = temp.resolve("b");
        FaultyDisk disk = new FaultyDisk();
        try (JournaledResourceDb db = JournaledResourceDb.open(directory(), ROOMY, disk)) {
            commit(db, put(1));
            db.tools().backup(file, ToolsFixture.HERE, false);
            disk.failCreates = true;

            assertThatThrownBy(() -> db.tools().restore(careful(file)))
                    .isInstanceOf(DatabaseFileException.class)
                    .hasMessageContaining("No space left on device");

            disk.failCreates = false;
            assertThat(Directories.files(temp, "db.staged")).isEmpty();
            commit(db, put(2));
        }
    }

    @Test
    void aCrashAtAnyStepOfStagingLeavesWhatWasOrAllOfIt() throws IOException {
        int steps = 0;
        for (boolean whole = false; !whole; steps++) {
            Path place = Files.createDirectory(temp.resolve("at-" + steps));
            Path directory = place.resolve("db");
            Path file = place.resolve("b");
            CrashingDisk disk = new CrashingDisk();
            try (JournaledResourceDb db = JournaledResourceDb.open(directory, ROOMY, disk)) {
                commit(db, put(1));
                db.tools().backup(file, ToolsFixture.HERE, false);
                commit(db, put(2));
                commit(db, new Change.RemoveLease(owner(1)));
                disk.dieAfter(steps);
                try {
                    db.tools().restore(determined(file));
                    whole = true;
                } catch (DatabaseFileException crash) {
                    whole = false;
                }
            } finally {
                disk.live();
            }
            boolean staged = Files.isDirectory(place.resolve("db.staged"));
            assertThat(staged || !whole).isTrue();
            new OfflineTools(directory, ROOMY, new LocalDisk()).finishRestore();
            try (JournaledResourceDb db = ToolsFixture.open(directory)) {
                assertThat(leases(db)).containsExactly(owner(staged ? 1 : 2).toString());
            }
            assertThat(Directories.files(place, "db.staged")).isEmpty();
        }
        assertThat(steps).isGreaterThan(15);
    }

    @Test
    void aCrashAtAnyStepOfTakingItIsMadeGoodByTheNextStart() throws IOException {
        int steps = 0;
        for (boolean whole = false; !whole; steps++) {
            Path place = Files.createDirectory(temp.resolve("at-" + steps));
            Path directory = place.resolve("db");
            Path file = place.resolve("b");
            try (JournaledResourceDb db = ToolsFixture.open(directory)) {
                commit(db, put(1));
                commit(db, put(3));
                db.tools().backup(file, ToolsFixture.HERE, false);
                commit(db, put(2));
                db.tools().restore(determined(file));
                commit(db, put(4));
                commit(db, new Change.RemoveLease(owner(3)));
                commit(db, new Change.PutOperation(ToolsFixture.operation(5)));
            }
            CrashingDisk disk = new CrashingDisk();
            disk.dieAfter(steps);
            try {
                new OfflineTools(directory, ROOMY, disk).finishRestore();
                whole = true;
            } catch (StoreException crash) {
                whole = false;
            }

            new OfflineTools(directory, ROOMY, new LocalDisk()).finishRestore();
            try (JournaledResourceDb db = ToolsFixture.open(directory)) {
                assertThat(leases(db))
                        .as("after %d steps", steps)
                        .containsExactly(owner(1).toString(), owner(4).toString());
                assertThat(TestRecords.keys(db, "operations")).hasSize(1);
            }
            assertThat(Directories.files(place, "db.before-restore-")).hasSize(1);
            assertThat(Directories.files(place, "db.staged")).isEmpty();
        }
        assertThat(steps).isGreaterThan(15);
    }

    /** As after a crash between the two renames: what was in use is aside, what was staged is still called so. */
    private void stoppedBetweenTheRenames() throws IOException {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
            commit(db, put(7));
            db.tools().restore(determined(file));
        }
        Files.move(directory(), temp.resolve("db.before-restore-20261121T115959Z"));
    }

    @Test
    void aNoteThatCannotBeReadNowNeverMakesAnEmptyDatabaseOfARestoreThatWasHalfTaken() throws IOException {
        stoppedBetweenTheRenames();
        CrashingDisk sick = new CrashingDisk();
        sick.dieAfter(0);

        assertThatThrownBy(() -> finish(sick))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("killed");
        assertThat(directory()).doesNotExist();
        assertThat(temp.resolve("db.staged")).isDirectory();

        try (JournaledResourceDb db = reopened()) {
            assertThat(leases(db)).hasSize(3);
        }
    }

    @Test
    void aRestoreThatWasHalfTakenAndIsNotSoundGivesTheDatabaseBeforeBack() throws IOException {
        stoppedBetweenTheRenames();
        Files.createDirectory(temp.resolve("db.before-restore-20250101T000000Z"));
        Files.writeString(temp.resolve("db.staged/restored.json"), "{");

        assertThat(finish(new LocalDisk()))
                .hasValueSatisfying(done -> assertThat(done.taken()).isFalse());

        assertThat(Directories.files(temp, "db.staged-not-taken-")).hasSize(1);
        try (JournaledResourceDb db = ToolsFixture.open(directory())) {
            assertThat(leases(db)).hasSize(4);
        }
    }

    @Test
    void aCrashAtAnyStepOfGivingItBackIsMadeGoodByTheNextStart() throws IOException {
        stoppedBetweenTheRenames();
        Files.writeString(temp.resolve("db.staged/restored.json"), "{");
        int steps = 0;
        for (boolean whole = false; !whole; steps++) {
            Path place = Files.createDirectory(temp.resolve("at-" + steps));
            Directories.copy(temp.resolve("db.staged"), place.resolve("db.staged"));
            Directories.copy(
                    temp.resolve("db.before-restore-20261121T115959Z"),
                    place.resolve("db.before-restore-20261121T115959Z"));
            CrashingDisk disk = new CrashingDisk();
            disk.dieAfter(steps);
            try {
                new OfflineTools(place.resolve("db"), ROOMY, disk).finishRestore();
                whole = true;
            } catch (StoreException crash) {
                whole = false;
            }

            new OfflineTools(place.resolve("db"), ROOMY, new LocalDisk()).finishRestore();
            try (JournaledResourceDb db = ToolsFixture.open(place.resolve("db"))) {
                assertThat(leases(db)).as("after %d steps", steps).hasSize(4);
            }
            assertThat(Directories.files(place, "db.staged-not-taken-")).hasSize(1);
        }
        assertThat(steps).isGreaterThan(4);
    }

    @Test
    void aRestoreThatIsNotSoundWaitsWhereThereIsNothingToGoBackTo() throws IOException {
        stoppedBetweenTheRenames();
        Files.move(temp.resolve("db.before-restore-20261121T115959Z"), temp.resolve("elsewhere"));
        Files.writeString(temp.resolve("db.staged/restored.json"), "{");

        assertThatThrownBy(() -> finish(new LocalDisk()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is missing, and");
        assertThat(temp.resolve("db.staged")).isDirectory();
    }

    @Test
    void noDatabaseIsBegunWhereTheOnlyCopyIsOneThatARestorePutAside() throws IOException {
        stoppedBetweenTheRenames();
        Files.move(temp.resolve("db.staged"), temp.resolve("moved-away-by-hand"));

        assertThat(finish(new LocalDisk())).isEmpty();
        assertThatThrownBy(() -> ToolsFixture.open(directory()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("db.before-restore-20261121T115959Z, which a restore put aside, is there");
        assertThat(directory()).doesNotExist();
    }

    @Test
    void whatARestorePutsAsideIsNamedInOrderEvenIfTheClockWentBack() throws IOException {
        PreRestoreDirectories kept = new PreRestoreDirectories(directory());
        for (int i = 1; i <= 12; i++) {
            Path next = kept.next(TestRecords.NOON.minusSeconds(i));
            Files.createDirectory(next);
            assertThat(kept.newest()).contains(next);
        }
    }

    @Test
    void aStagedDirectoryWithoutFilesIsNotTakenForADatabase() throws IOException {
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            Path file = ToolsFixture.exported(db, temp.resolve("e"));
            db.tools().restore(careful(file));
        }
        for (Path file : Directories.files(temp.resolve("db.staged"), "")) {
            if (!file.endsWith("restored.json")) {
                Files.delete(file);
            }
        }

        assertThat(finish(new LocalDisk()))
                .hasValueSatisfying(done -> assertThat(done.message()).contains("it has a note and no files"));
        try (JournaledResourceDb db = ToolsFixture.open(directory())) {
            assertThat(leases(db)).hasSize(3);
        }
    }

    @Test
    void aCrashWhileAnEarlierRestoreIsGivenUpLeavesOneOfThemWholeOrNone() throws IOException {
        int steps = 0;
        for (boolean whole = false; !whole; steps++) {
            Path place = Files.createDirectory(temp.resolve("at-" + steps));
            Path directory = place.resolve("db");
            CrashingDisk disk = new CrashingDisk();
            try (JournaledResourceDb db = JournaledResourceDb.open(directory, ROOMY, disk)) {
                commit(db, put(1), put(2));
                db.tools().backup(place.resolve("two"), ToolsFixture.HERE, false);
                commit(db, put(3));
                db.tools().backup(place.resolve("three"), ToolsFixture.HERE, false);
                commit(db, put(4));
                db.tools().restore(determined(place.resolve("two")));
                disk.dieAfter(steps);
                try {
                    db.tools().restore(determined(place.resolve("three")));
                    whole = disk.alive();
                } catch (DatabaseFileException crash) {
                    whole = false;
                }
            } finally {
                disk.live();
            }
            Optional<FinishedRestore> done = new OfflineTools(directory, ROOMY, new LocalDisk()).finishRestore();
            done.ifPresent(restore -> assertThat(restore.taken()).isTrue());
            try (JournaledResourceDb db = ToolsFixture.open(directory)) {
                assertThat(leases(db)).as("after %d steps", steps).hasSizeBetween(2, 4);
                assertThat(leases(db).size() == 4).isEqualTo(done.isEmpty());
            }
            assertThat(Directories.files(place, "db.staged")).isEmpty();
        }
        assertThat(steps).isGreaterThan(15);
    }

    @Test
    void aRecoveryThatIsHalfDoneComesBeforeARestoreThatWaits() throws IOException {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            db.tools().backup(file, ToolsFixture.HERE, false);
            db.tools().restore(careful(file));
        }
        Directories.copy(directory(), temp.resolve("db.rebuilt"));
        Files.move(directory(), temp.resolve("db.damaged-20261121T115959Z"));

        assertThatThrownBy(() -> finish(new LocalDisk()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("a recovery was interrupted");
        assertThat(directory()).doesNotExist();
        assertThat(temp.resolve("db.staged")).isDirectory();
    }

    @Test
    void coolDownsThatRunOnTheNodeRunOnThroughARestore() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            commit(db, new Change.PutHold(TestRecords.hold(20)));
            db.tools().backup(file, ToolsFixture.HERE, false);
            commit(db, cooling(20, 60), cooling(21, 60), cooling(22, -1), cooling(3, 60));
            db.tools().restore(determined(file));
            // made and ended between staging and the next start
            commit(db, put(8));
            commit(db, new Change.RemoveLease(owner(8)), cooling(8, 60));
        }
        try (JournaledResourceDb db = reopened()) {
            // not that of web-3, which has its address, nor the one that has ended
            assertThat(TestRecords.keys(db, "quarantine"))
                    .containsExactly("/eni-a/10.0.0.11", "/eni-a/10.0.0.20", "/eni-a/10.0.0.21", "/eni-a/10.0.0.8");
            assertThat(TestRecords.keys(db, "reservations")).containsExactly("/eni-a/10.0.0.10");
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    private static Change cooling(int n, int seconds) {
        return new Change.PutHold(new Hold(
                TestRecords.resource(n),
                Hold.Purpose.COOLING,
                new PodRef("default", "gone-" + n),
                TestRecords.NOON.plusSeconds(seconds),
                Duration.ZERO));
    }

    @Test
    void theLockOfTheDatabaseOutlivesARequestToRestoreIt() throws IOException {
        Path link =
                Files.createSymbolicLink(temp.resolve("harmless"), directory().resolve("lock"));
        try (JournaledResourceDb db = ToolsFixture.filled(directory())) {
            for (Path file : List.of(directory().resolve("lock"), link)) {
                assertThatThrownBy(() -> db.tools().restore(ToolsFixture.dryRun(file)))
                        .isInstanceOf(DatabaseFileException.class)
                        .hasMessageContaining("it is in the directory of the database itself");
            }
        }
    }
}
