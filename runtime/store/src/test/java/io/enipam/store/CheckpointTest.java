package io.enipam.store;

import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.testing.TestThreads;
import io.enipam.store.Segment.SegmentHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

class CheckpointTest {
    @TempDir
    Path temp;

    /** A closed database with two checkpoints, each of other contents. */
    private List<ResourceDb.RawRecord> closedTwice(Path directory, StoreOptions options) {
        try (ResourceDb db = JournaledResourceDb.open(directory, options)) {
            for (int i = 0; i < 20; i++) {
                commit(db, put(i));
            }
        }
        try (ResourceDb db = JournaledResourceDb.open(directory, options)) {
            commit(db, put(20), new Change.RemoveLease(owner(0)));
            return db.records();
        }
    }

    /** The first journal file goes when there are two checkpoints that do not need it. */
    private void commitUntilFirstJournalIsGone(ResourceDb db) {
        Path first = new StoreDirectory(temp).segment(0, 0);
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    commit(db, put(9000));
                    return Files.notExists(first);
                });
    }

    @Test
    void rotationUnderLoadLosesNothingAndKeepsTwoCheckpointsAndTheJournalsSince() {
        List<ResourceDb.RawRecord> expected;
        try (ResourceDb db = JournaledResourceDb.open(temp, SMALL)) {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int first = t * 1000;
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < 150; i++) {
                                commit(db, put(first + i), new Change.RemoveLease(owner(first + i - 10)));
                            }
                        },
                        TestThreads.PER_TASK));
            }
            threads.forEach(CompletableFuture::join);
            commitUntilFirstJournalIsGone(db);
            expected = db.records();
            assertThat(expected).hasSize(41);
        }
        assertThat(Directories.files(temp, "checkpoint-")).hasSize(2);
        assertThat(Directories.files(temp, ""))
                .noneMatch(file -> file.toString().endsWith(".tmp"));
        try (ResourceDb db = JournaledResourceDb.open(temp, SMALL)) {
            assertThat(db.records()).isEqualTo(expected);
        }
    }

    @Test
    void copiesTakenAtAnyMomentOfRotationOpenWithAllThatWasAcknowledged() {
        Path live = temp.resolve("live");
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            for (int i = 0; i < 200; i++) {
                commit(db, put(i));
                if (i % 7 == 0) {
                    Path copy;
                    try {
                        copy = Directories.copy(live, temp.resolve("copy" + i));
                    } catch (UncheckedIOException removedWhileCopying) {
                        continue;
                    }
                    try (ResourceDb after = JournaledResourceDb.open(copy, SMALL)) {
                        assertThat(after.records()).isEqualTo(db.records());
                    }
                }
            }
        }
    }

    @Test
    void theNewestJournalFileIsMissedAlthoughCheckpointAndOlderFilesFitTogether() throws IOException {
        closedTwice(temp, ROOMY);
        LocalDisk disk = new LocalDisk();
        StoreDirectory directory = new StoreDirectory(temp);
        long last = directory.list(disk).newestCheckpoint().orElseThrow();
        StoreSnapshot whole = CheckpointFile.read(disk, directory.checkpoint(last), last);
        String next = directory.segment(last, 0).getFileName().toString();
        // as it is written when the journal has just gone on in another file
        CheckpointFile.write(disk, directory, new StoreSnapshot(last, Optional.of(next), whole.buckets()));

        assertThatThrownBy(() -> JournaledResourceDb.open(temp, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(next + " is missing");
        assertThat(new FileVerification(disk, directory).verify().problems())
                .anySatisfy(problem -> assertThat(problem.where()).endsWith(next));
    }

    @Test
    void aCloseWithoutANewCommitWritesNothing() {
        closedTwice(temp, ROOMY);
        List<Path> before = Directories.files(temp, "");
        JournaledResourceDb.open(temp, ROOMY).close();
        assertThat(Directories.files(temp, "")).isEqualTo(before);
    }

    @Test
    void aCheckpointIsAMapdbFileThatAnyoneOpensReadOnly() {
        List<ResourceDb.RawRecord> records = closedTwice(temp, ROOMY);
        try (DB db = DBMaker.fileDB(Directories.last(temp, "checkpoint-").toFile())
                .checksumStoreEnable()
                .readOnly()
                .make()) {
            assertThat(db.treeMap("leases", Serializer.STRING, Serializer.BYTE_ARRAY)
                            .open())
                    .hasSize(records.size());
            assertThat(db.treeMap("meta", Serializer.STRING, Serializer.BYTE_ARRAY)
                            .open()
                            .get("database"))
                    .asString()
                    .isEqualTo("{\"v\":1,\"format\":4,\"created\":\"2026-11-21T12:00:00.000000001Z\"}");
            assertThat(db.treeMap("checkpoint", Serializer.STRING, Serializer.STRING)
                            .open()
                            .get("seal"))
                    .startsWith("generation=22 count=21 crc32c=");
        }
    }

    @Test
    void withoutItsNewestCheckpointTheDatabaseComesFromTheOlderOneAndTheLongerJournal() {
        List<ResourceDb.RawRecord> expected = closedTwice(temp, ROOMY);
        Path newest = Directories.last(temp, "checkpoint-");
        Directories.flip(newest, 8 * 5000);
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            assertThat(db.records()).isEqualTo(expected);
        }
        assertThat(Path.of(newest + ".damaged")).exists();
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            assertThat(db.records()).isEqualTo(expected);
        }
    }

    @Test
    void withBothCheckpointsDamagedAndTheJournalCutShortByRotationItIsRefused() {
        try (ResourceDb db = JournaledResourceDb.open(temp, SMALL)) {
            for (int i = 0; i < 150; i++) {
                commit(db, put(i));
            }
            commitUntilFirstJournalIsGone(db);
        }
        Directories.files(temp, "checkpoint-").forEach(file -> Directories.flip(file, 8 * 5000));
        assertThatThrownBy(() -> JournaledResourceDb.open(temp, SMALL))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("were made and are not in the journal")
                .hasMessageContaining("checkpoint-");
    }

    @Test
    void aJournalOlderThanTheCheckpointIsRefused() throws IOException {
        closedTwice(temp, ROOMY);
        Path journal = Directories.last(temp, "journal-");
        byte[] bytes = Files.readAllBytes(journal);
        Arrays.fill(bytes, SegmentHeader.BYTES, bytes.length, (byte) 0);
        Files.write(journal, bytes);
        assertThatThrownBy(() -> JournaledResourceDb.open(temp, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("commits 1 to 22 were made and are not in the journal");
    }

    @Test
    void aDirectoryWithCheckpointsAndNoJournalIsRefused() throws IOException {
        closedTwice(temp, ROOMY);
        Files.delete(Directories.last(temp, "journal-"));
        assertThatThrownBy(() -> JournaledResourceDb.open(temp, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no journal file");
    }

    @Test
    void filesACrashLeftUnfinishedAreRemoved() throws IOException {
        closedTwice(temp, ROOMY);
        Path unfinished = temp.resolve("checkpoint-0000000000000000099.db.tmp");
        Files.writeString(unfinished, "half");
        JournaledResourceDb.open(temp, ROOMY).close();
        assertThat(unfinished).doesNotExist();
    }

    /** The generations of the checkpoints that can be read. */
    private List<Long> readable() throws IOException {
        LocalDisk disk = new LocalDisk();
        StoreDirectory directory = new StoreDirectory(temp);
        List<Long> readable = new ArrayList<>();
        for (long generation : directory.list(disk).checkpoints()) {
            CheckpointFile.read(disk, directory.checkpoint(generation), generation);
            readable.add(generation);
        }
        return readable;
    }

    /** A database with the checkpoints 6, which is good, and 11, which is damaged. */
    private JournaledResourceDb withItsNewestDamaged() throws IOException {
        JournaledResourceDb db = JournaledResourceDb.open(temp, ROOMY, new LocalDisk());
        for (int i = 1; i <= 10; i++) {
            commit(db, put(i));
            if (i % 5 == 0) {
                db.tools().compact();
            }
        }
        assertThat(readable()).containsExactly(6L, 11L);
        Directories.flip(new StoreDirectory(temp).checkpoint(11), 8 * 5000);
        assertThat(db.tools().verify().sound()).isFalse();
        return db;
    }

    @Test
    void aCompactionWritesADamagedNewestCheckpointAnew() throws IOException {
        try (JournaledResourceDb db = withItsNewestDamaged()) {
            db.tools().compact();

            assertThat(db.tools().verify().problems()).isEmpty();
            assertThat(readable()).containsExactly(6L, 11L);
        }
    }

    @Test
    void aDamagedCheckpointIsNotSparedAtThePriceOfAGoodOne() throws IOException {
        List<ResourceDb.RawRecord> expected;
        try (JournaledResourceDb db = withItsNewestDamaged()) {
            commit(db, put(11));
            db.tools().compact();

            assertThat(db.tools().verify().problems()).isEmpty();
            assertThat(readable()).containsExactly(6L, 12L);
            expected = db.records();
        }
        Directories.flip(new StoreDirectory(temp).checkpoint(12), 8 * 5000);
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            assertThat(db.records()).isEqualTo(expected);
        }
    }
}
