package io.enipam.store;

import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.Segment.SegmentHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rebuilt database takes the place of a damaged one: at once or not at all, whenever the process dies. */
class DamagedStoreTest {
    private static final StoreOptions TINY = new StoreOptions(8 << 10, 64, TestRecords.CLOCK);
    private static final List<Change> REBUILT = List.of(put(1), put(2), put(3));

    @TempDir
    Path temp;

    private Path damaged() {
        Path directory = temp.resolve("damaged");
        try (ResourceDb db = JournaledResourceDb.open(directory, TINY)) {
            commit(db, put(7));
            commit(db, put(8));
        }
        for (Path checkpoint : Directories.files(directory, "checkpoint-")) {
            Directories.flip(checkpoint, 8 * 3000);
        }
        Directories.flip(Directories.last(directory, "journal-"), 8L * (SegmentHeader.BYTES + 40));
        assertThatThrownBy(() -> JournaledResourceDb.open(directory, TINY)).isInstanceOf(StoreException.class);
        return directory;
    }

    /** One run of a recovery that dies after so many changes; whether it lived. */
    private static boolean recovered(Path directory, int changes) {
        CrashingDisk disk = CrashingDisk.afterChanges(changes);
        try (DamagedStore store = DamagedStore.open(directory, TINY, disk)) {
            if (store.halfWay()) {
                store.finish();
            } else {
                assertThat(store.read().state()).isEqualTo(SalvageResult.State.DAMAGED);
                store.replace(REBUILT, TestRecords.NOON);
            }
            return !disk.refused(); // the last checkpoint of a database that is closed may fail without a word
        } catch (IOException e) {
            assertThat(disk.refused()).as("%s", e).isTrue();
            return false;
        }
    }

    @Test
    void wheneverTheProcessDiesNothingIsLostAndTheNextRunGoesOn() {
        Path damaged = damaged();
        Map<String, Integer> files = hashes(damaged);
        int deaths = 0;
        int halfWay = 0;
        boolean lived = false;
        for (int changes = 0; !lived; changes++) {
            Path node = temp.resolve("node-" + changes);
            Path db = Directories.copy(damaged, node.resolve("db"));
            lived = recovered(db, changes);
            if (!lived) {
                deaths++;
                if (Files.exists(db)) {
                    Optional<Path> aside =
                            Directories.files(node, "db.damaged-").stream().findFirst();
                    if (aside.isEmpty()) {
                        assertThat(hashes(db)).as("after %s changes", changes).isEqualTo(files);
                        assertThatThrownBy(() -> JournaledResourceDb.open(db, TINY))
                                .isInstanceOf(StoreException.class);
                    }
                } else {
                    halfWay++;
                    assertThatThrownBy(() -> JournaledResourceDb.open(db, TINY))
                            .isInstanceOfSatisfying(
                                    StoreException.class,
                                    e -> assertThat(e.hint()).contains("enipamd --recover"))
                            .hasMessageContaining("waits to take its place");
                }
                if (!(Files.exists(db)
                        && !Directories.files(node, "db.damaged-").isEmpty())) {
                    assertThat(recovered(db, Integer.MAX_VALUE)).isTrue();
                }
            }
            List<Path> aside = Directories.files(node, "db.damaged-");
            assertThat(aside).hasSize(1);
            assertThat(hashes(aside.get(0))).isEqualTo(files);
            try (ResourceDb opened = JournaledResourceDb.open(db, TINY)) {
                assertThat(opened.contents().leases())
                        .containsExactlyInAnyOrder(TestRecords.lease(1), TestRecords.lease(2), TestRecords.lease(3));
            }
            assertThat(Directories.files(node, "db.rebuil")).isEmpty();
        }
        assertThat(deaths).isGreaterThan(10);
        assertThat(halfWay).isPositive();
    }

    @Test
    void aDatabaseInUseIsRefused() {
        Path directory = temp.resolve("db");
        try (ResourceDb db = JournaledResourceDb.open(directory, TINY)) {
            commit(db, put(1));
            assertThatThrownBy(() -> DamagedStore.open(directory))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is in use by another process (pid "
                            + ProcessHandle.current().pid());
        }
    }

    @Test
    void aDamagedDatabaseThatIsHeldIsNotOpenedByAnybodyElse() {
        Path directory = damaged();
        try (DamagedStore store = DamagedStore.open(directory)) {
            assertThat(store.read().state()).isEqualTo(SalvageResult.State.DAMAGED);
            assertThatThrownBy(() -> JournaledResourceDb.open(directory, TINY))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("in use");
        }
    }

    @Test
    void theOldFilesOfTwoRecoveriesInOneSecondAreBothKept() throws IOException {
        Path damaged = damaged();
        Path db = temp.resolve("node/db");
        for (int i = 0; i < 2; i++) {
            Directories.copy(damaged, db);
            try (DamagedStore store = DamagedStore.open(db, TINY, new LocalDisk())) {
                store.replace(REBUILT, TestRecords.NOON);
            }
            Files.move(db, temp.resolve("node/used-" + i));
        }
        assertThat(Directories.files(temp.resolve("node"), "db.damaged-"))
                .extracting(file -> file.getFileName().toString())
                .containsExactly("db.damaged-20261121T120000Z", "db.damaged-20261121T120000Z-2");
    }

    @Test
    void whereThereWasNothingNothingIsKeptAside() throws IOException {
        Path db = temp.resolve("node/db");
        Files.createDirectories(db.getParent());
        try (DamagedStore store = DamagedStore.open(db, TINY, new LocalDisk())) {
            assertThat(store.read().state()).isEqualTo(SalvageResult.State.MISSING);
            assertThat(store.replace(REBUILT, TestRecords.NOON)).isEmpty();
        }
        try (ResourceDb opened = JournaledResourceDb.open(db, TINY)) {
            assertThat(opened.contents().leases()).hasSize(3);
        }
    }

    private static Map<String, Integer> hashes(Path directory) {
        return Directories.files(directory, "").stream()
                .collect(Collectors.toMap(file -> file.getFileName().toString(), DamagedStoreTest::hash));
    }

    private static int hash(Path file) {
        try {
            return Arrays.hashCode(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
