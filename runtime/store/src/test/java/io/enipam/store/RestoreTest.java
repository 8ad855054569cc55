package io.enipam.store;

import static io.enipam.store.Samples.ROOMY;
import static io.enipam.store.Samples.commit;
import static io.enipam.store.Samples.owner;
import static io.enipam.store.Samples.put;
import static io.enipam.store.ToolBench.careful;
import static io.enipam.store.ToolBench.determined;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeRecord;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.tools.DatabaseFileException;
import io.enipam.store.tools.FinishedRestore;
import io.enipam.store.tools.NodeName;
import io.enipam.store.tools.RestorePlan;
import io.enipam.store.tools.RestoreRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        return OfflineTools.of(directory(), ROOMY, disk).finishRestore();
    }

    private JournaledResourceDb reopened() {
        finish(new LocalDisk());
        return ToolBench.open(directory());
    }

    private List<String> leases(ResourceDb db) {
        return Samples.keys(db, "leases");
    }

    @Test
    void export_import_export_gives_the_same_bytes() {
        String before;
        Path file = temp.resolve("e");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            before = ToolBench.export(db);
            ToolBench.exported(db, file);
            RestorePlan plan = db.tools().restore(careful(file));
            assertThat(plan.kept()).isEqualTo(3);
            assertThat(plan.lost()).isEmpty();
            assertThat(plan.returning()).isZero();
            assertThat(plan.leftOut()).isZero();
            assertThat(ToolBench.export(db)).isEqualTo(before);
        }
        try (JournaledResourceDb db = reopened()) {
            assertThat(ToolBench.export(db)).isEqualTo(before);
            assertThat(db.tools().verify().problems()).isEmpty();
        }
        assertThat(Directories.files(temp, "db.before-restore-20261121T120000Z"))
                .hasSize(1);
    }

    @Test
    void a_restore_brings_back_what_was_and_nobody_sees_it_before_the_database_is_opened_again() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            db.tools().backup(file, ToolBench.HERE, false);
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
    void leases_in_force_are_not_lost_unless_that_is_agreed_to() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            db.tools().backup(file, ToolBench.HERE, false);
            commit(db, put(7));

            assertThat(db.tools().restore(ToolBench.dryRun(file)).lost())
                    .extracting(lost -> lost.lease().pod() + " " + lost.why())
                    .containsExactly("default/web-7 not in the file");
            assertThatThrownBy(() -> db.tools().restore(careful(file)))
                    .isInstanceOfSatisfying(
                            DatabaseFileException.class,
                            e -> assertThat(e.reason()).isEqualTo(DatabaseFileException.Reason.NOT_AGREED))
                    .hasMessage("1 lease in force would be lost: default/web-7 (not in the file)");
            assertThat(finish(new FaultyDisk())).isEmpty();

            Set<String> named = Set.of(owner(7).toString());
            db.tools().restore(new RestoreRequest(file, "b", ToolBench.HERE, false, named, false, false));
        }
        try (JournaledResourceDb db = reopened()) {
            assertThat(leases(db)).hasSize(3).doesNotContain(owner(7).toString());
        }
    }

    @Test
    void a_lease_whose_address_the_file_gives_to_another_pod_counts_as_lost() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            db.tools().backup(file, ToolBench.HERE, false);
            String twin = db.records().stream()
                    .filter(record -> record.key().equals(owner(1).toString()))
                    .findFirst()
                    .orElseThrow()
                    .json()
                    .replace("sandbox-1", "sandbox-9")
                    .replace("web-1", "web-9");
            commit(db, new Change.RemoveLease(owner(1)));
            db.submit(List.of(Mutation.put(Bucket.LEASES, owner(9).toString(), twin)))
                    .join();

            assertThatThrownBy(() -> db.tools().restore(careful(file)))
                    .hasMessageContaining("default/web-9 (the file lends the address to default/web-1)");
        }
    }

    @Test
    void what_happens_between_staging_and_the_next_start_counts() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            db.tools().backup(file, ToolBench.HERE, false);
            commit(db, new Change.RemoveOperation(ToolBench.operation(1).id()));
            db.tools().restore(determined(file));
            commit(db, put(8));
            commit(db, new Change.RemoveLease(owner(3)), new Change.PutHold(Samples.hold(3)));
            commit(db, new Change.PutOperation(ToolBench.operation(2)));
        }
        try (JournaledResourceDb db = reopened()) {
            // one made since is there, one ended since is not and cools down
            assertThat(leases(db)).containsExactly(owner(1).toString(), owner(2).toString(), owner(8).toString());
            assertThat(Samples.keys(db, "reservations")).contains("eni-a/10.0.0.3");
            // what is pending in the cloud is the node's, never the file's
            assertThat(Samples.keys(db, "operations"))
                    .containsExactly(ToolBench.operation(2).id());
            assertThat(db.tools().verify().problems()).isEmpty();
        }
    }

    @Test
    void a_restored_database_counts_as_unsettled_and_keeps_its_node() {
        Path file = temp.resolve("b");
        NodeIdentity here = new NodeIdentity("i-1", "cn-hangzhou");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            commit(db, new Change.PutNode(new NodeRecord(Optional.of(here), true)));
            db.tools().backup(file, ToolBench.HERE, false);
            db.tools().restore(careful(file));
        }
        try (JournaledResourceDb db = reopened()) {
            assertThat(db.contents().node()).contains(new NodeRecord(Optional.of(here), false));
        }
    }

    @Test
    void another_nodes_backup_is_refused_unless_it_is_asked_for() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            db.tools().backup(file, new NodeName("node-1", "i-2"), false);

            assertThatThrownBy(() -> db.tools().restore(careful(file)))
                    .hasMessageEndingWith("holds the records of node node-1 (i-2), this is node-1 (i-1)");
            assertThat(db.tools().restore(determined(file)).otherNode()).isTrue();
        }
    }

    @Test
    void offline_the_database_says_itself_whose_it_is() {
        Path file = temp.resolve("b");
        NodeName nobody = new NodeName("", "");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            commit(db, new Change.PutNode(new NodeRecord(Optional.of(new NodeIdentity("i-1", "cn-hangzhou")), true)));
            db.tools().backup(file, new NodeName("node-2", "i-2"), false);
        }

        assertThatThrownBy(() -> OfflineTools.of(directory(), ROOMY, new LocalDisk())
                        .restore(careful(file).by(nobody)))
                .hasMessageContaining("holds the records of node node-2 (i-2)");
    }

    @Test
    void a_staged_database_that_is_damaged_is_put_aside_and_the_present_one_goes_on() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            db.tools().backup(file, ToolBench.HERE, false);
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
        try (JournaledResourceDb db = ToolBench.open(directory())) {
            assertThat(leases(db)).hasSize(4);
        }
    }

    @Test
    void a_damaged_database_is_restored_over_only_when_its_leases_are_given_up() {
        Path file = temp.resolve("b");
        try (JournaledResourceDb db = ToolBench.filled(directory())) {
            db.tools().backup(file, ToolBench.HERE, false);
        }
        Directories.flip(Directories.last(directory(), "journal-"), 8);
        OfflineTools offline = OfflineTools.of(directory(), ROOMY, new LocalDisk());
        assertThatThrownBy(() -> offline.restore(careful(file)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is damaged");

        offline.restore(determined(file));
        assertThat(offline.finishRestore())
                .hasValueSatisfying(done -> assertThat(done.taken()).isTrue());

        try (JournaledResourceDb db = ToolBench.open(directory())) {
            assertThat(leases(db)).hasSize(3);
        }
        assertThat(Directories.files(temp, "db.before-restore-")).hasSize(1);
    }

    @Test
    void no_room_leaves_everything_as_it_was() {
        Path file = temp.resolve("b");
        FaultyDisk disk = new FaultyDisk();
        try (JournaledResourceDb db = JournaledResourceDb.open(directory(), ROOMY, disk)) {
            commit(db, put(1));
            db.tools().backup(file, ToolBench.HERE, false);
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
    void a_crash_at_any_step_of_staging_leaves_what_was_or_all_of_it() throws IOException {
        int steps = 0;
        for (boolean whole = false; !whole; steps++) {
            Path place = Files.createDirectory(temp.resolve("at-" + steps));
            Path directory = place.resolve("db");
            Path file = place.resolve("b");
            StoppingDisk disk = new StoppingDisk();
            try (JournaledResourceDb db = JournaledResourceDb.open(directory, ROOMY, disk)) {
                commit(db, put(1));
                db.tools().backup(file, ToolBench.HERE, false);
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
            OfflineTools.of(directory, ROOMY, new LocalDisk()).finishRestore();
            try (JournaledResourceDb db = ToolBench.open(directory)) {
                assertThat(leases(db)).containsExactly(owner(staged ? 1 : 2).toString());
            }
            assertThat(Directories.files(place, "db.staged")).isEmpty();
        }
        assertThat(steps).isGreaterThan(15);
    }

    @Test
    void a_crash_at_any_step_of_taking_it_is_made_good_by_the_next_start() throws IOException {
        int steps = 0;
        for (boolean whole = false; !whole; steps++) {
            Path place = Files.createDirectory(temp.resolve("at-" + steps));
            Path directory = place.resolve("db");
            Path file = place.resolve("b");
            try (JournaledResourceDb db = ToolBench.open(directory)) {
                commit(db, put(1));
                commit(db, put(3));
                db.tools().backup(file, ToolBench.HERE, false);
                commit(db, put(2));
                db.tools().restore(determined(file));
                commit(db, put(4));
                commit(db, new Change.RemoveLease(owner(3)));
                commit(db, new Change.PutOperation(ToolBench.operation(5)));
            }
            StoppingDisk disk = new StoppingDisk();
            disk.dieAfter(steps);
            try {
                OfflineTools.of(directory, ROOMY, disk).finishRestore();
                whole = true;
            } catch (StoreException crash) {
                whole = false;
            }

            OfflineTools.of(directory, ROOMY, new LocalDisk()).finishRestore();
            try (JournaledResourceDb db = ToolBench.open(directory)) {
                assertThat(leases(db))
                        .as("after %d steps", steps)
                        .containsExactly(owner(1).toString(), owner(4).toString());
                assertThat(Samples.keys(db, "operations")).hasSize(1);
            }
            assertThat(Directories.files(place, "db.before-restore-")).hasSize(1);
            assertThat(Directories.files(place, "db.staged")).isEmpty();
        }
        assertThat(steps).isGreaterThan(15);
    }
}
