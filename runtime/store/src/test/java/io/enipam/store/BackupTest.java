package io.enipam.store;

import static io.enipam.store.ToolsFixture.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.Change;
import io.enipam.engine.testing.TestThreads;
import io.enipam.store.DatabaseFileReader.DatabaseFile;
import io.enipam.store.DatabaseTools.Backup;
import io.enipam.store.DatabaseTools.FileHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupTest {
    @TempDir
    Path temp;

    @Test
    void aBackupIsTextThatExplainsItselfForItsOwnerAlone() throws IOException {
        Path file = temp.resolve("b.jsonl");
        Backup backup;
        try (JournaledResourceDb db = ToolsFixture.filled(temp.resolve("db"))) {
            backup = db.tools().backup(file, HERE, false);
        }

        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0))
                .isEqualTo("{\"enipam\":\"database\",\"format\":3,\"kind\":\"backup\",\"node\":\"node-1\","
                        + "\"instance\":\"i-1\",\"taken\":\"2026-11-21T12:00:00.000000001Z\",\"generation\":5}");
        assertThat(lines.get(1))
                .startsWith("{\"bucket\":\"leases\",\"key\":\"cbr0/sandbox-1/eth0\",\"record\":{\"v\":1,");
        assertThat(lines).hasSize(10);
        assertThat(lines.get(9)).isEqualTo("{\"end\":true,\"records\":8,\"sha256\":\"" + backup.sha256() + "\"}");
        assertThat(lines).noneMatch(line -> line.contains("\"bucket\":\"meta\""));
        assertThat(backup.records()).isEqualTo(8);
        assertThat(backup.bytes()).isEqualTo(Files.size(file));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Directories.files(temp, "b.jsonl")).containsExactly(file);
    }

    @Test
    void anExistingFileIsReplacedOnlyWhenThatIsAskedFor() throws IOException {
        Path file = ToolsFixture.written(temp.resolve("mine"), "precious");
        try (JournaledResourceDb db = ToolsFixture.filled(temp.resolve("db"))) {
            assertThatThrownBy(() -> db.tools().backup(file, HERE, false))
                    .isInstanceOf(DatabaseFileException.class)
                    .hasMessage("cannot write " + file + ": it exists");
            assertThat(file).hasContent("precious");

            assertThat(db.tools().backup(file, HERE, true).replaced()).isTrue();
            assertThat(Files.readString(file)).startsWith("{\"enipam\"");
        }
    }

    @Test
    void whatIsNoPlaceForABackupIsRefusedInOneLine() throws IOException {
        Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("elsewhere"));
        try (JournaledResourceDb db = ToolsFixture.filled(temp.resolve("db"))) {
            assertThatThrownBy(() -> db.tools().backup(Path.of("b"), HERE, true))
                    .hasMessage("b is no absolute path");
            assertThatThrownBy(() -> db.tools().backup(temp, HERE, true)).hasMessageContaining("no plain file");
            assertThatThrownBy(() -> db.tools().backup(link, HERE, true)).hasMessageContaining("no plain file");
            assertThatThrownBy(() -> db.tools().backup(temp.resolve("no/such/b"), HERE, false))
                    .hasMessageContaining("its directory does not exist");
            assertThatThrownBy(() -> db.tools().backup(temp.resolve("db/lock"), HERE, true))
                    .hasMessageContaining("the directory of the database itself");
            assertThatThrownBy(() -> db.tools().backup(temp.resolve("x/../db/b"), HERE, false))
                    .hasMessageContaining("the directory of the database itself");
        }
        assertThat(temp.resolve("elsewhere")).doesNotExist();
    }

    @Test
    void aBackupUnderLoadShowsOneMomentBetweenTwoCommits() {
        AtomicBoolean enough = new AtomicBoolean();
        try (JournaledResourceDb db = ToolsFixture.open(temp.resolve("db"))) {
            CompletableFuture<Void> load = CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; !enough.get(); i++) {
                            // a lease and a pod come and go together
                            TestRecords.commit(
                                    db,
                                    TestRecords.put(i % 500),
                                    new Change.PutPod(TestRecords.copy(i % 500, java.util.Optional.empty())));
                            TestRecords.commit(
                                    db,
                                    new Change.RemoveLease(TestRecords.owner((i + 250) % 500)),
                                    new Change.RemovePod(
                                            TestRecords.lease((i + 250) % 500).pod()));
                        }
                    },
                    TestThreads.PER_TASK);
            try {
                for (int i = 0; i < 20; i++) {
                    Path file = temp.resolve("b" + i);
                    db.tools().backup(file, HERE, false);
                    DatabaseFile read = DatabaseFileReader.read(file, "b", TestRecords.NOON);
                    assertThat(read.snapshot().of(Bucket.LEASES))
                            .hasSameSizeAs(read.snapshot().of(Bucket.PODS));
                }
            } finally {
                enough.set(true);
            }
            load.join();
        }
    }

    @Test
    void noWayThroughASymbolicLinkLeadsABackupIntoTheDatabase() throws IOException {
        Path inside = Files.createSymbolicLink(temp.resolve("inside"), temp.resolve("db"));
        Path beside = Files.createSymbolicLink(temp.resolve("beside"), temp);
        try (JournaledResourceDb db = ToolsFixture.filled(temp.resolve("db"))) {
            Path journal = Directories.last(temp.resolve("db"), "journal-");
            byte[] before = Files.readAllBytes(journal);
            for (Path link : List.of(inside.resolve(journal.getFileName()), beside.resolve("db/b"))) {
                assertThatThrownBy(() -> db.tools().backup(link, HERE, true))
                        .hasMessageContaining("the directory of the database itself");
            }
            assertThat(journal).hasBinaryContent(before);
            for (String kept : List.of(
                    "db.staged", "db.before-restore-20261121T120000Z", "db.damaged-20261121T120000Z", "db.rebuilt")) {
                Files.createDirectory(temp.resolve(kept));
                assertThatThrownBy(() -> db.tools().backup(beside.resolve(kept).resolve("b"), HERE, true))
                        .hasMessageContaining(kept + ", which is kept for the database");
            }
            Files.createDirectory(temp.resolve("db.backups"));
            assertThat(db.tools()
                            .backup(beside.resolve("db.backups/b"), HERE, false)
                            .records())
                    .isEqualTo(8);
        }
    }

    @Test
    void aBackupWhoseNameMayNotLastSaysThatItWasWritten() {
        Path file = temp.resolve("b");
        FileHeader header = new FileHeader(FileHeader.Kind.EXPORT, HERE, Optional.empty());
        assertThatThrownBy(() -> BackupFile.write(file, header, StoreSnapshot.EMPTY, false, directory -> {
                    throw new IOException("Input/output error");
                }))
                .isInstanceOfSatisfying(
                        DatabaseFileException.class, e -> assertThat(e.hint()).doesNotContain("nothing was left"))
                .hasMessage("wrote " + file + ", but its name may not survive a power loss: Input/output error");
        assertThat(DatabaseFileReader.read(file, "b", TestRecords.NOON)
                        .snapshot()
                        .count())
                .isZero();
    }
}
