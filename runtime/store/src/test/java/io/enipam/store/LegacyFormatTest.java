package io.enipam.store;

import static io.enipam.store.TestRecords.NOON;
import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.hold;
import static io.enipam.store.TestRecords.intent;
import static io.enipam.store.TestRecords.keys;
import static io.enipam.store.TestRecords.lease;
import static io.enipam.store.TestRecords.put;
import static io.enipam.store.TestRecords.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * The directory {@code format-1.zip}, which the last program of format 1 wrote: a checkpoint of commit 12, and a journal
 * whose process was killed four commits later. Both have the bucket {@code holds}.
 */
class LegacyFormatTest {
    private static final long CHECKPOINT = 12;

    @TempDir
    Path temp;

    private Path directory;

    @BeforeEach
    void aDirectoryOfFormat1() throws IOException {
        directory = Files.createDirectory(temp.resolve("db"));
        try (InputStream file = Objects.requireNonNull(getClass().getResourceAsStream("/format-1.zip"));
                ZipInputStream zip = new ZipInputStream(file)) {
            ZipEntry entry = zip.getNextEntry();
            while (entry != null) {
                Files.write(directory.resolve(Path.of(entry.getName()).getFileName()), zip.readAllBytes());
                entry = zip.getNextEntry();
            }
        }
    }

    private static Hold cooling(int n) {
        return new Hold(
                resource(n),
                Hold.Purpose.COOLING,
                new PodRef("default", "web-" + n),
                NOON.plusSeconds(n),
                Duration.ZERO);
    }

    private static void assertContents(ResourceDb db) {
        ResourceDb.Contents all = db.contents();
        assertThat(all.leases())
                .containsExactlyInAnyOrderElementsOf(IntStream.of(1, 2, 3, 4, 5, 6, 7, 9)
                        .mapToObj(TestRecords::lease)
                        .toList());
        assertThat(all.holds()).containsExactlyInAnyOrder(cooling(0), cooling(20), cooling(21));
        assertThat(all.intents()).containsExactly(intent(1));
        assertThat(all.operations())
                .containsExactly(CloudJournal.Entry.of(new CloudOperation.Assign("eni-a", 2, 0, "token-9"), NOON, 1));
        assertThat(all.pods()).isEmpty();
        assertThat(all.node()).isEmpty();
        assertThat(keys(db, "quarantine")).hasSize(3);
        assertThat(keys(db, "reservations")).isEmpty();
    }

    @Test
    void allOfItIsReadAndTheHoldsAreToldApart() {
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            assertContents(db);
        }
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            assertContents(db);
        }
    }

    @Test
    void itsCheckpointAloneHasBothKindsOfHolds() throws IOException {
        StoreSnapshot read =
                CheckpointFile.read(new LocalDisk(), new StoreDirectory(directory).checkpoint(CHECKPOINT), CHECKPOINT);
        assertThat(read.of(Bucket.RESERVATIONS))
                .extracting(record -> new RecordCodec().hold(Bucket.RESERVATIONS, record.getKey(), record.getValue()))
                .containsExactly(hold(20), hold(22));
        assertThat(read.of(Bucket.QUARANTINE))
                .extracting(record -> new RecordCodec().hold(Bucket.QUARANTINE, record.getKey(), record.getValue()))
                .containsExactly(cooling(21), cooling(23));
    }

    @Test
    void withoutItsCheckpointTheJournalGivesTheSame() throws IOException {
        Files.delete(new StoreDirectory(directory).checkpoint(CHECKPOINT));
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            assertContents(db);
        }
    }

    @Test
    void aFlippedBitInItsCheckpointIsFoundAndTheJournalMakesUpForIt() throws IOException {
        Path checkpoint = new StoreDirectory(directory).checkpoint(CHECKPOINT);
        Directories.flip(checkpoint, 8 * 5000);
        assertThatThrownBy(() -> CheckpointFile.read(new LocalDisk(), checkpoint, CHECKPOINT))
                .isInstanceOf(IOException.class);
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            assertContents(db);
        }
    }

    @Test
    void aHoldOfOldIsReplacedAndRemovedByChangesOfToday() {
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            commit(db, new Change.PutHold(hold(20)), new Change.RemoveHold(ResourceKey.of(resource(21))));
            assertThat(db.contents().holds()).containsExactlyInAnyOrder(cooling(0), hold(20));
        }
    }

    @Test
    void fromTheFirstOpeningOnItIsOfTheFormatOfTodaySoThatTheFormerProgramDoesNotTouchIt() throws IOException {
        Path killed;
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            killed = Directories.copy(directory, temp.resolve("killed"));
            assertContents(db);
        }
        Path journal = new StoreDirectory(killed).segment(0, 0);
        assertThat(Files.readString(journal, StandardCharsets.ISO_8859_1))
                .contains("put\tmeta\tdatabase\t{\"v\":1,\"format\":4,\"created\":\"" + NOON + "\"}");
        try (ResourceDb db = JournaledResourceDb.open(killed, SMALL)) {
            assertContents(db);
            commit(db, put(1));
            assertThat(db.contents().leases()).contains(lease(1));
        }
    }

    @Test
    void theNextCheckpointHasNoBucketOfOld() {
        JournaledResourceDb.open(directory, SMALL).close();
        try (DB db = DBMaker.fileDB(Directories.last(directory, "checkpoint-").toFile())
                .checksumStoreEnable()
                .readOnly()
                .make()) {
            assertThat(db.getAllNames())
                    .containsAll(Stream.of(Bucket.values()).map(Bucket::text).toList())
                    .doesNotContain("holds");
            assertThat(db.treeMap("quarantine", Serializer.STRING, Serializer.BYTE_ARRAY)
                            .open())
                    .hasSize(3);
        }
    }

    @Test
    void aCheckpointOfANewerFormatIsRefusedAndNotTakenForDamage() throws IOException {
        Path file = temp.resolve("newer.db");
        try (DB db = DBMaker.fileDB(file.toFile())
                .fileChannelEnable()
                .checksumStoreEnable()
                .make()) {
            db.treeMap("checkpoint", Serializer.STRING, Serializer.STRING)
                    .create()
                    .putAll(Map.of("format", "5", "seal", "of another kind"));
            db.commit();
        }
        assertThatThrownBy(() -> CheckpointFile.read(new LocalDisk(), file, 1))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.hint()).contains("newer enipamd"))
                .hasMessage("checkpoint " + file + " has format 5, this program knows up to 4");
    }
}
