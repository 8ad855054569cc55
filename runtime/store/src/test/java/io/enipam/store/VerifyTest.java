package io.enipam.store;

import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Change;
import io.enipam.engine.testing.TestThreads;
import io.enipam.store.DatabaseTools.Compaction;
import io.enipam.store.Segment.SegmentHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyTest {
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("db");
    }

    private JournaledResourceDb small() {
        return JournaledResourceDb.open(directory(), SMALL, new LocalDisk());
    }

    /** A few journal files and two checkpoints. */
    private JournaledResourceDb rolled() {
        for (int life = 0; life < 2; life++) {
            try (JournaledResourceDb db = small()) {
                for (int i = 0; i < 50; i++) {
                    commit(db, put(life * 50 + i));
                }
            }
        }
        JournaledResourceDb db = small();
        commit(db, put(900), new Change.PutHold(TestRecords.hold(901)));
        return db;
    }

    @Test
    void aSoundDatabaseIsSoundAndItsNumbersAreRight() {
        try (JournaledResourceDb db = rolled()) {
            Verification found = db.tools().verify();

            assertThat(found.problems()).isEmpty();
            assertThat(found.generation()).isEqualTo(102);
            assertThat(found.checks())
                    .extracting(Verification.Check::name)
                    .containsExactly("checkpoints", "journal", "replay", "records");
            assertThat(found.checks().get(0).examined()).isEqualTo(2);
            assertThat(found.checks().get(2).examined()).isEqualTo(103);
            assertThat(found.checks().get(3).examined()).isEqualTo(103);
        }
        assertThat(new OfflineTools(directory(), SMALL, new LocalDisk())
                        .verify()
                        .problems())
                .isEmpty();
    }

    @Test
    void verifyChangesNothing() throws IOException {
        try (JournaledResourceDb db = rolled()) {
            Map<Path, byte[]> before = contents();
            db.tools().verify();
            Map<Path, byte[]> after = contents();
            assertThat(after.keySet()).isEqualTo(before.keySet());
            before.forEach((file, bytes) -> assertThat(after.get(file)).isEqualTo(bytes));
        }
    }

    private Map<Path, byte[]> contents() throws IOException {
        Map<Path, byte[]> contents = new TreeMap<>();
        for (Path file : Directories.files(directory(), "")) {
            contents.put(file, Files.readAllBytes(file));
        }
        return contents;
    }

    @Test
    void noFalseAlarmWhileFilesGrowRollOverAndGo() {
        AtomicBoolean enough = new AtomicBoolean();
        AtomicLong commits = new AtomicLong();
        try (JournaledResourceDb db = small()) {
            List<CompletableFuture<Void>> load = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int first = t * 1000;
                load.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; !enough.get(); i++) {
                                commit(
                                        db,
                                        put(first + i % 40),
                                        new Change.RemoveLease(TestRecords.owner(first + (i + 20) % 40)));
                                commits.incrementAndGet();
                            }
                        },
                        TestThreads.PER_TASK));
            }
            int looks = 0;
            long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
            while (System.nanoTime() < end || looks < 5 || commits.get() < 300) {
                assertThat(db.tools().verify().problems()).isEmpty();
                looks++;
                if (looks % 5 == 0) {
                    db.tools().compact();
                }
            }
            enough.set(true);
            load.forEach(CompletableFuture::join);
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    @Test
    void aJournalThatWentOnInAnotherFileAfterAFailedWriteIsSound() {
        FaultyDisk disk = new FaultyDisk();
        try (JournaledResourceDb db = JournaledResourceDb.open(directory(), SMALL, disk)) {
            for (int round = 0; round < 3; round++) {
                commit(db, put(round * 10 + 1));
                disk.failForces = true;
                int n = round;
                assertThatThrownBy(() -> commit(db, put(n * 10 + 2)));
                assertThat(db.tools().verify().problems()).isEmpty();
                disk.failForces = false;
                await().atMost(Duration.ofSeconds(60)).until(() -> db.trouble().isEmpty());
                assertThat(db.tools().verify().problems()).isEmpty();
                commit(db, put(round * 10 + 3));
                assertThat(db.tools().verify().problems()).isEmpty();
            }
        }
        assertThat(new OfflineTools(directory(), SMALL, new LocalDisk())
                        .verify()
                        .problems())
                .isEmpty();
    }

    @Test
    void everyFlippedBitInWhatWasCommittedIsFoundInItsFileWhileTheDatabaseIsInUse() {
        Random random = new Random(11);
        try (JournaledResourceDb db = rolled()) {
            for (Path file : Directories.files(directory(), "")) {
                if (file.toString().endsWith("lock")) {
                    continue;
                }
                boolean journal = file.toString().endsWith(".log");
                for (int i = 0; i < 12; i++) {
                    // of a journal file: within its header, or within its first two frames
                    int at = !journal
                            ? random.nextInt((int) file.toFile().length())
                            : i < 4 ? random.nextInt(SegmentHeader.BYTES) : SegmentHeader.BYTES + random.nextInt(320);
                    long bit = at * 8L + random.nextInt(8);
                    Directories.flip(file, bit);
                    Verification found = db.tools().verify();
                    assertThat(found.problems())
                            .as("bit %d of %s", bit, file)
                            .anyMatch(problem -> problem.where().equals(file.toString())
                                    || problem.message()
                                            .contains(file.getFileName().toString()));
                    Directories.flip(file, bit);
                }
            }
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    @Test
    void aProblemNamesItsFileAndWhereItBegins() {
        try (JournaledResourceDb db = rolled()) {
            Path file = Directories.last(directory(), "journal-");
            Directories.flip(file, (SegmentHeader.BYTES + FrameHeader.BYTES + 5) * 8L);

            Verification found = db.tools().verify();

            assertThat(found.sound()).isFalse();
            assertThat(found.problems().get(0).check()).isEqualTo("journal");
            assertThat(found.problems().get(0).where()).isEqualTo(file.toString());
            assertThat(found.problems().get(0).offset()).hasValue(SegmentHeader.BYTES);
            Directories.flip(file, (SegmentHeader.BYTES + FrameHeader.BYTES + 5) * 8L);
        }
    }

    @Test
    void aLostFileIsMissed() throws IOException {
        try (JournaledResourceDb db = rolled()) {
            Path last = Directories.last(directory(), "journal-");
            byte[] bytes = Files.readAllBytes(last);
            Files.delete(last);
            assertThat(db.tools().verify().problems())
                    .extracting(Verification.Problem::message)
                    .as("by what the other files say, and by the newest checkpoint if that was written since")
                    .isNotEmpty()
                    .allMatch(message -> message.matches("commits \\d+ to 102 are not in the journal"
                            + "|there is no journal file"
                            + "|the file is missing, and no later one is there: the last commits were in it"));
            Files.write(last, bytes);
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    @Test
    void aCheckpointThatIsWholeAndSaysSomethingElseIsFound() throws IOException {
        try (JournaledResourceDb db = rolled()) {
            StoreDirectory files = new StoreDirectory(directory());
            commit(db, put(950));
            StoreSnapshot live = db.snapshot();
            StoreSnapshot wrong = new StoreSnapshot(
                    live.generation(),
                    Map.of(Bucket.LEASES, List.of(live.of(Bucket.LEASES).get(0))));
            CheckpointFile.write(new LocalDisk(), files, wrong);

            assertThat(db.tools().verify().problems())
                    .anyMatch(problem -> problem.check().equals("replay")
                            && problem.where()
                                    .equals(files.checkpoint(live.generation()).toString())
                            && problem.message().endsWith("it is in the journal and not in the checkpoint"));
        }
    }

    @Test
    void aRecordThatSharesItsAddressIsFound() {
        try (JournaledResourceDb db = small()) {
            commit(db, put(1));
            String twin =
                    db.records().get(0).json().replace("sandbox-1", "sandbox-2").replace("eni-a/", "eni-b/");
            db.submit(List.of(Mutation.put(Bucket.LEASES, "cbr0/sandbox-2/eth0", twin.getBytes(UTF_8))))
                    .join();
            db.submit(List.of(Mutation.put(Bucket.PODS, "default/x", "{\"v\":1}".getBytes(UTF_8))))
                    .join();

            assertThat(db.tools().verify().problems())
                    .extracting(problem -> problem.where() + ": " + problem.message())
                    .anyMatch(line -> line.equals("leases/cbr0/sandbox-2/eth0: its address 10.0.0.1 is that of"
                            + " leases/cbr0/sandbox-1/eth0"))
                    .anyMatch(line -> line.startsWith("pods/default/x: record pods/default/x is not readable"));
        }
    }

    @Test
    void offlineADatabaseInUseIsLeftAloneAndDamageIsTold() {
        OfflineTools offline = new OfflineTools(directory(), SMALL, new LocalDisk());
        assertThatThrownBy(offline::verify).hasMessageContaining("there is no database");
        try (JournaledResourceDb db = rolled()) {
            assertThatThrownBy(offline::verify).hasMessageContaining("is in use by another process");
            assertThat(db.tools().verify().sound()).isTrue();
        }
        Path last = Directories.last(directory(), "checkpoint-");
        Directories.flip(last, 8000);

        assertThat(offline.verify().problems())
                .anyMatch(problem -> problem.where().equals(last.toString()));
    }

    @Test
    void compactionWritesACheckpointAndRemovesWhatItMakesUnnecessary() {
        try (JournaledResourceDb db = small()) {
            for (int i = 0; i < 200; i++) {
                commit(db, put(i % 10));
            }
            db.tools().compact();
            commit(db, put(11));
            Compaction done = db.tools().compact();

            assertThat(done.generation()).isEqualTo(202);
            assertThat(done.records()).isEqualTo(12);
            assertThat(done.after().bytes()).isLessThanOrEqualTo(done.before().bytes());
            assertThat(Directories.files(directory(), "checkpoint-")).hasSize(2);
            assertThat(Directories.last(directory(), "checkpoint-").toString()).endsWith("202.db");
            assertThat(Directories.files(directory(), "journal-")).hasSize(1);
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    @Test
    void verifyFindsAResourceHeldTwiceAndOneThatIsHeldForEver() {
        try (JournaledResourceDb db = small()) {
            commit(db, new Change.PutHold(TestRecords.hold(1)), new Change.PutHold(TestRecords.hold(2)));
            for (Mutation twin : List.of(
                    reserved(db, 1, TestRecords.hold(1).until().toString(), Bucket.QUARANTINE),
                    reserved(db, 2, "9999-12-31T00:00:00Z", Bucket.RESERVATIONS))) {
                db.submit(List.of(twin)).join();
            }

            assertThat(db.tools().verify().problems())
                    .extracting(Verification.Problem::message)
                    .containsExactly(
                            "it holds until 9999-12-31T00:00:00Z, more than 366 days from now",
                            "its resource eni-a/10.0.0.1 has another hold, reservations//eni-a/10.0.0.1");
        }
    }

    /** The record of a reservation with another end, in a bucket. */
    private static Mutation reserved(JournaledResourceDb db, int n, String until, Bucket bucket) {
        String key = "/eni-a/10.0.0." + n;
        String json = db.records().stream()
                .filter(record -> record.key().equals(key))
                .findFirst()
                .orElseThrow()
                .json()
                .replace(TestRecords.hold(n).until().toString(), until);
        String held = bucket == Bucket.QUARANTINE ? json.replace("RESERVED", "COOLING") : json;
        return Mutation.put(bucket, key, held.getBytes(UTF_8));
    }
}
