package io.enipam.store;

import static io.enipam.store.Samples.commit;
import static io.enipam.store.Samples.leases;
import static io.enipam.store.Samples.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.journal.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournaledResourceDbTest {
    @TempDir
    Path directory;

    @Test
    void everyKindOfRecordReadsBackAsWritten() {
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            commit(db, put(1), new Change.PutHold(Samples.hold(2)), new Change.PutIntent(Samples.intent(3)))
                    .join();
        }
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(db.contents().leases()).containsExactly(Samples.lease(1));
            assertThat(db.contents().leases().get(0).resource().attributes())
                    .isEqualTo(Samples.resource(1).attributes());
            assertThat(db.contents().holds()).containsExactly(Samples.hold(2));
            assertThat(db.contents().intents()).containsExactly(Samples.intent(3));
        }
    }

    @Test
    void whatIsRemovedStaysRemoved() {
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            commit(db, put(1), put(2), new Change.PutHold(Samples.hold(3)), new Change.PutIntent(Samples.intent(4)))
                    .join();
            commit(
                            db,
                            new Change.RemoveLease(Samples.lease(1).owner()),
                            new Change.RemoveHold(Samples.hold(3).resource().id()),
                            new Change.RemoveIntent("token-4"))
                    .join();
        }
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(leases(db)).containsExactly(2);
            assertThat(db.contents().holds()).isEmpty();
            assertThat(db.contents().intents()).isEmpty();
        }
    }

    @Test
    void removingWhatIsNotThereIsNothing() {
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(commit(db, new Change.RemoveIntent("never-was")))
                    .succeedsWithin(java.time.Duration.ofSeconds(10));
        }
    }

    @Test
    void recordsAreReadableInADump() {
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            commit(db, put(1)).join();

            assertThat(db.records()).singleElement().satisfies(record -> {
                assertThat(record.bucket()).isEqualTo("leases");
                assertThat(record.key()).isEqualTo("enipam/c1/eth0");
                assertThat(record.json())
                        .startsWith("{\"v\":1,")
                        .contains(
                                "\"pod\":\"default/web-1\"",
                                "\"10.0.0.1/8\"",
                                "\"since\":\"2026-01-01T12:00:01.123456789Z\"")
                        .doesNotContain("\n");
            });
        }
    }

    @Test
    void aThousandCommitsFromManyCallersShareForcesAndAllArrive() {
        int count = 1_000;
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            List<CompletableFuture<Void>> all =
                    IntStream.range(0, count).mapToObj(n -> commit(db, put(n))).toList();
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        }
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(leases(db)).hasSize(count);
        }
    }

    @Test
    void theFilesOfADatabaseThatIsOpenHaveAllThatWasAcknowledged(@TempDir Path crashed) throws IOException {
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            commit(db, put(1), put(2)).join();
            copy(directory, crashed);
        }
        try (ResourceDb db = JournaledResourceDb.open(crashed)) {
            assertThat(leases(db)).containsExactly(1, 2);
        }
    }

    @Test
    void smallFilesMakeCheckpointsAndOldFilesGo() throws IOException {
        int count = 600;
        try (ResourceDb db = JournaledResourceDb.open(directory, new LocalDisk(), 8_000)) {
            for (int n = 0; n < count; n++) {
                commit(
                                db,
                                put(n),
                                new Change.RemoveLease(
                                        Samples.lease(n - 10 < 0 ? 0 : n - 10).owner()))
                        .join();
            }
        }
        assertThat(files("checkpoint-")).hasSize(2);
        assertThat(files("journal-").size()).isLessThan(60);
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(leases(db))
                    .containsExactlyElementsOf(
                            IntStream.range(count - 10, count).boxed().toList());
        }
    }

    @Test
    void aDamagedCheckpointCostsNothing() throws IOException {
        fillWithCheckpoints();
        List<Path> checkpoints = files("checkpoint-");
        Path newest = checkpoints.get(checkpoints.size() - 1);
        byte[] bytes = Files.readAllBytes(newest);
        for (int at = bytes.length / 3; at < bytes.length; at += 97) {
            bytes[at] ^= 0x55;
        }
        Files.write(newest, bytes);

        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(leases(db)).hasSize(200);
        }
    }

    @Test
    void aMissingJournalFileRefusesTheStartAndSaysWhichGenerationsAreGone() throws IOException {
        fillWithCheckpoints();
        List<Path> journals = files("journal-");
        Files.delete(journals.get(journals.size() - 2));
        for (Path checkpoint : files("checkpoint-")) {
            Files.delete(checkpoint);
        }

        assertThatThrownBy(() -> JournaledResourceDb.open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("missing")
                .hasMessageContaining(directory.toString());
    }

    @Test
    void aSecondProcessIsRefusedAndToldWhoHasIt() {
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(db.records()).isEmpty();
            assertThatThrownBy(() -> JournaledResourceDb.open(directory))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("in use")
                    .hasMessageContaining("pid " + ProcessHandle.current().pid());
        }
        JournaledResourceDb.open(directory).close();
    }

    @Test
    void aDirectoryThatCannotBeIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "not a directory");

        assertThatThrownBy(() -> JournaledResourceDb.open(file.resolve("db")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void aRecordOfALaterVersionIsRefused(@TempDir Path later) throws Exception {
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            commit(db, put(1)).join();
        }
        io.enipam.store.view.Checkpoint future = new io.enipam.store.view.Checkpoint(
                1,
                new java.util.TreeMap<>(java.util.Map.of(
                        "leases/enipam/c1/eth0", "{\"v\":2}".getBytes(java.nio.charset.StandardCharsets.UTF_8))));
        future.write(new LocalDisk(), later);

        assertThatThrownBy(() -> JournaledResourceDb.open(later))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void commitsAfterTheCloseFail() {
        ResourceDb db = JournaledResourceDb.open(directory);
        db.close();

        assertThat(commit(db, put(1)))
                .failsWithin(java.time.Duration.ofSeconds(5))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("closed");
    }

    @Test
    void onlyTheOwnerMayReadTheFiles() throws IOException {
        Path fresh = directory.resolve("db");
        try (ResourceDb db = JournaledResourceDb.open(fresh)) {
            commit(db, put(1)).join();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(fresh)) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("journal-")))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    private void fillWithCheckpoints() {
        try (ResourceDb db = JournaledResourceDb.open(directory, new LocalDisk(), 8_000)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int n = 0; n < 200; n++) {
                all.add(commit(db, put(n)));
                all.get(n).join();
            }
        }
    }

    private List<Path> files(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }
}
