package io.enipam.store;

import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.keys;
import static io.enipam.store.TestRecords.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.Segment.SegmentHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that fail and directories that cannot be used. */
class DiskFailureTest {
    @TempDir
    Path temp;

    private final FaultyDisk disk = new FaultyDisk();

    @Test
    void aCommitWhoseForceFailedForAMomentIsNotThereAfterAKill() {
        ResourceDb db = JournaledResourceDb.open(temp.resolve("live"), ROOMY, disk);
        commit(db, put(1));
        Path copy;
        try (db) {
            disk.failForces = true;
            disk.failCreates = true; // so that nothing changes while the files are copied
            assertThatThrownBy(() -> commit(db, put(2))).hasCauseInstanceOf(IOException.class);
            copy = Directories.copy(temp.resolve("live"), temp.resolve("copy"));
        }
        try (ResourceDb again = JournaledResourceDb.open(copy, ROOMY)) {
            assertThat(keys(again, "leases")).hasSize(1);
        }
    }

    @Test
    void anOpenForcesWhatItReadSinceAKilledProcessMayHaveLeftItInThePageCache() {
        Path live = temp.resolve("live");
        try (ResourceDb db = JournaledResourceDb.open(live, ROOMY)) {
            commit(db, put(1));
            Path copy = Directories.copy(live, temp.resolve("copy"));
            try (ResourceDb again = JournaledResourceDb.open(copy, ROOMY, disk)) {
                assertThat(disk.forces).hasValueGreaterThan(0);
                assertThat(again.records()).hasSize(1);
            }
        }
    }

    @Test
    void anEmptyJournalFileThatCannotBeReplacedByALargerOneGoesOn() {
        Change[] large = IntStream.range(0, 100).mapToObj(TestRecords::put).toArray(Change[]::new);
        Path live = temp.resolve("live");
        StoreDirectory copy = new StoreDirectory(temp.resolve("copy"));
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            commit(db, put(1));
            Directories.copy(live, copy.path());
        }
        try {
            // what a crash leaves right after a new file was begun: commits 1 (the database) and 2 are in the first one
            Segment.create(new LocalDisk(), copy, new SegmentHeader(8 << 10, 2, 0, 0))
                    .close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (ResourceDb db = JournaledResourceDb.open(copy.path(), SMALL, disk)) {
            disk.failCreates = true;
            assertThatThrownBy(() -> commit(db, large)).hasMessageContaining("No space left on device");
            commit(db, put(2));
            disk.failCreates = false;
        }
        try (ResourceDb db = JournaledResourceDb.open(copy.path(), SMALL)) {
            assertThat(keys(db, "leases")).hasSize(2);
            commit(db, large);
        }
        try (ResourceDb db = JournaledResourceDb.open(copy.path(), SMALL)) {
            assertThat(keys(db, "leases")).hasSize(100);
        }
    }

    @Test
    void aSecondOpenerInTheSameProcessIsRefusedAndTheFirstKeepsItsLock() {
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> JournaledResourceDb.open(temp, ROOMY))
                        .isInstanceOf(StoreException.class)
                        .hasMessage(temp + " is in use by another process (pid "
                                + ProcessHandle.current().pid() + ")");
            }
            commit(db, put(1));
        }
        JournaledResourceDb.open(temp, ROOMY).close();
    }

    @Test
    void aPathThatIsAFileIsRefusedWithItsName() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "x");
        assertThatThrownBy(() -> JournaledResourceDb.open(file, ROOMY))
                .isInstanceOfSatisfying(StoreException.class, e -> {
                    assertThat(e).hasMessageContaining("cannot use the database directory " + file);
                    assertThat(e.hint()).contains("readable and writable", "or use another directory");
                });
    }

    @Test
    void aDiskWithoutRoomForTheFirstFileIsRefusedAndTheLockIsFreeAgain() {
        disk.failCreates = true;
        assertThatThrownBy(() -> JournaledResourceDb.open(temp, ROOMY, disk))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(temp.toString())
                .hasMessageContaining("No space left on device");
        disk.failCreates = false;
        JournaledResourceDb.open(temp, ROOMY, disk).close();
    }

    @Test
    void aRecordOfANewerVersionIsRefusedAndUnknownFieldsAreNot() {
        RecordCodec codec = new RecordCodec();
        String known = new String(codec.encode(put(1)).get(0).record().orElseThrow(), UTF_8);
        byte[] more = known.replace("\"v\":1", "\"v\":1,\"colour\":\"red\"").getBytes(UTF_8);
        assertThat(codec.lease("k", more)).isEqualTo(TestRecords.lease(1));
        byte[] newer = known.replace("\"v\":1", "\"v\":2").getBytes(UTF_8);
        assertThatThrownBy(() -> codec.lease("k", newer))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.hint()).contains("newer enipamd"))
                .hasMessage("record leases/k has version 2, this program knows up to 1");
        byte[] incomplete = "{\"v\":1,\"owner\":\"a/b/c\"}".getBytes(UTF_8);
        assertThatThrownBy(() -> codec.lease("k", incomplete))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("record leases/k is not readable");
    }

    @Test
    void aDatabaseOfANewerFormatIsRefused() {
        byte[] newer = "{\"v\":1,\"format\":5,\"created\":\"\"}".getBytes(UTF_8);
        assertThatThrownBy(() -> new RecordCodec().checkMeta("database", newer))
                .isInstanceOf(StoreException.class)
                .hasMessage("the database has format 5, this program knows up to 4");
    }
}
