package io.enipam.store;

import static io.enipam.store.TestRecords.NOON;
import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.copy;
import static io.enipam.store.TestRecords.hold;
import static io.enipam.store.TestRecords.intent;
import static io.enipam.store.TestRecords.keys;
import static io.enipam.store.TestRecords.lease;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;
import static io.enipam.store.TestRecords.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbBusyException;
import io.enipam.engine.testing.TestThreads;
import io.enipam.sdk.Resource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournaledResourceDbTest {
    @TempDir
    Path temp;

    private Path directory() {
        return temp.resolve("var/db");
    }

    private ResourceDb open() {
        return JournaledResourceDb.open(directory(), ROOMY);
    }

    @Test
    void aNewDatabaseIsEmptyAndItsFilesAreForTheOwnerAlone() throws IOException {
        try (ResourceDb db = open()) {
            assertThat(db.contents())
                    .isEqualTo(new ResourceDb.Contents(
                            List.of(), List.of(), List.of(), List.of(), List.of(), Optional.empty()));
            assertThat(db.records()).isEmpty();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                .isEqualTo("rwx------");
        for (Path file : Directories.files(directory(), "")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .as(file.toString())
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void everyChangeIsThereAtOnceAndAfterAReopen() {
        try (ResourceDb db = open()) {
            commit(db, put(1), new Change.PutHold(hold(2)), new Change.PutIntent(intent(3)));
            assertSample(db);
        }
        try (ResourceDb db = open()) {
            assertSample(db);
            commit(
                    db,
                    new Change.RemoveLease(owner(1)),
                    new Change.RemoveHold(ResourceKey.of(hold(2).resource())),
                    new Change.RemoveIntent(intent(3).key()));
            assertThat(db.records()).isEmpty();
        }
        try (ResourceDb db = open()) {
            assertThat(db.records()).isEmpty();
        }
    }

    private static void assertSample(ResourceDb db) {
        assertThat(db.contents().leases()).containsExactly(lease(1));
        Resource stored = db.contents().leases().get(0).resource();
        assertThat(stored.addresses()).isEqualTo(lease(1).resource().addresses());
        assertThat(stored.attributes()).isEqualTo(lease(1).resource().attributes());
        assertThat(stored.parent()).isEqualTo("eni-a");
        assertThat(db.contents().holds()).containsExactly(hold(2));
        assertThat(db.contents().intents()).containsExactly(intent(3));
    }

    @Test
    void theCopiesOfPodsAndWhoseDatabaseItIsAreThereAfterAReopen() {
        PodCopy alive = copy(1, Optional.empty());
        PodCopy gone = copy(2, Optional.of(NOON.plusSeconds(3600)));
        NodeRecord unknown = new NodeRecord(Optional.empty(), true);
        NodeRecord known = new NodeRecord(Optional.of(new NodeIdentity("i-1", "cn-hangzhou")), false);
        try (ResourceDb db = open()) {
            commit(db, new Change.PutPod(alive), new Change.PutPod(gone), new Change.PutNode(unknown));
            assertThat(db.contents().node()).contains(unknown);
        }
        try (ResourceDb db = open()) {
            assertThat(db.contents().pods()).containsExactly(alive, gone);
            assertThat(db.contents().node()).contains(unknown);
            assertThat(keys(db, "pods")).containsExactly("default/web-1", "default/web-2");
            commit(db, new Change.RemovePod(alive.pod().ref()), new Change.PutNode(known));
        }
        try (ResourceDb db = open()) {
            assertThat(db.contents().pods()).containsExactly(gone);
            assertThat(db.contents().node()).contains(known);
        }
    }

    /** The line as the program wrote it before it kept what manifests ask for. */
    @Test
    void aCopyOfAPodFromBeforeItsWishesWereKeptAsksForNothing() {
        String former =
                "{\"v\":1,\"pod\":\"default/web-0\",\"uid\":\"1b97d703-cbca-44f1-9f50-e4d14606f88b\",\"finished\":false,"
                        + "\"stick\":\"PT5M\",\"addresses\":[\"10.0.0.2\"],\"lastSeen\":\"2026-11-21T13:30:40.760732501Z\",\"expires\":\"\"}";
        PodCopy read = new RecordCodec().pod("default/web-0", former.getBytes(StandardCharsets.UTF_8));
        assertThat(read.pod().stick()).isEqualTo(Duration.ofMinutes(5));
        assertThat(read.pod().wishes()).isEqualTo(PodNetworkSpec.NONE);
        assertThatThrownBy(() -> new RecordCodec()
                        .pod(
                                "default/web-0",
                                former.replace("\"uid\"", "\"other\"").getBytes(StandardCharsets.UTF_8)))
                .as("what was always written is still required")
                .isInstanceOf(StoreException.class);
    }

    @Test
    void aResourceHasOneHoldWhicheverPurposeItHadBefore() {
        Hold cooling = new Hold(resource(2), Hold.Purpose.COOLING, hold(2).pod(), hold(2).until(), Duration.ZERO);
        try (ResourceDb db = open()) {
            commit(db, new Change.PutHold(hold(2)));
            commit(db, new Change.PutHold(cooling));
            assertThat(db.contents().holds()).containsExactly(cooling);
            assertThat(keys(db, "quarantine")).containsExactly("/eni-a/10.0.0.2");
            assertThat(keys(db, "reservations")).isEmpty();
            commit(db, new Change.PutHold(hold(2)));
        }
        try (ResourceDb db = open()) {
            assertThat(db.contents().holds()).containsExactly(hold(2));
            commit(db, new Change.RemoveHold(ResourceKey.of(resource(2))));
            assertThat(db.records()).isEmpty();
        }
    }

    @Test
    void recordsAreOneLineOfReadableJsonOrderedByBucketAndKey() {
        try (ResourceDb db = open()) {
            commit(db, put(2), put(1), new Change.PutHold(hold(2)), new Change.PutIntent(intent(3)));
            assertThat(db.records())
                    .extracting(record -> record.bucket() + " " + record.key())
                    .containsExactly(
                            "intents token-3",
                            "leases cbr0/sandbox-1/eth0",
                            "leases cbr0/sandbox-2/eth0",
                            "reservations /eni-a/10.0.0.2");
            assertThat(db.records().get(1).json())
                    .isEqualTo(
                            "{\"v\":1,\"owner\":\"cbr0/sandbox-1/eth0\",\"pod\":\"default/web-1\",\"podUid\":\"uid-1\","
                                    + "\"resource\":{\"id\":\"eni-a/10.0.0.1\",\"kind\":\"eni-ip\","
                                    + "\"addresses\":[\"10.0.0.1/16\",\"fd00::2/64\"],\"parent\":\"eni-a\","
                                    + "\"attributes\":{\"gateway\":\"10.0.255.253\",\"mac\":\"00:16:3e:00:00:01\"}},"
                                    + "\"stick\":\"PT5M\",\"since\":\"2026-11-21T12:00:00.000000001Z\"}");
        }
    }

    @Test
    void theLastOfManyCommitsOnOneKeyWinsAndStagesCompleteInOrder() {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        try (ResourceDb db = open()) {
            for (int i = 0; i < 300; i++) {
                int n = i;
                Lease lease = new Lease(
                        owner(1), lease(i).pod(), "", lease(i).resource(), lease(i).stick(), TestRecords.NOON);
                all.add(db.commit(List.of(new Change.PutLease(lease)))
                        .thenRun(() -> order.add(n))
                        .toCompletableFuture());
            }
            all.forEach(CompletableFuture::join);
            assertThat(order).hasSize(300).isSorted();
        }
        try (ResourceDb db = open()) {
            assertThat(db.contents().leases())
                    .extracting(lease -> lease.pod().name())
                    .containsExactly("web-299");
        }
    }

    @Test
    void aReaderNeverSeesHalfACommit() {
        try (ResourceDb db = open()) {
            commit(db, put(1), put(2));
            CompletableFuture<Void> writer = CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 200; i++) {
                            commit(db, new Change.RemoveLease(owner(1)), new Change.RemoveLease(owner(2)));
                            commit(db, put(1), put(2));
                        }
                    },
                    TestThreads.PER_TASK);
            while (!writer.isDone()) {
                assertThat(db.contents().leases().size()).isIn(0, 2);
                assertThat(db.records().size()).isIn(0, 2);
            }
            writer.join();
        }
    }

    @Test
    void theFilesOfAProcessThatWasNotClosedHoldEveryAcknowledgedCommit() {
        try (ResourceDb db = open()) {
            for (int i = 0; i < 50; i++) {
                commit(db, put(i));
                Path copy = Directories.copy(directory(), temp.resolve("copy" + i));
                try (ResourceDb after = JournaledResourceDb.open(copy, ROOMY)) {
                    assertThat(after.records()).isEqualTo(db.records());
                }
            }
        }
    }

    @Test
    void commitsThatWaitTogetherShareOneForce() throws Exception {
        FaultyDisk disk = new FaultyDisk();
        try (ResourceDb db = JournaledResourceDb.open(directory(), ROOMY, disk)) {
            int before = disk.forces.get();
            disk.forceGate = new CountDownLatch(1);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                all.add(db.commit(List.of(put(i))).toCompletableFuture());
            }
            assertThat(all).noneMatch(CompletableFuture::isDone);
            assertThat(db.records()).isEmpty();
            disk.forceGate.countDown();
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            assertThat(disk.forces.get() - before).isLessThanOrEqualTo(40 / 2);
            assertThat(db.records()).hasSize(40);
        }
    }

    @Test
    void aContinuationMayCommitAgainWithoutStoppingTheWriter() throws Exception {
        try (ResourceDb db = open()) {
            CompletableFuture<Void> last = db.commit(List.of(put(0)))
                    .thenCompose(done -> {
                        for (int i = 1; i < 20; i++) {
                            db.commit(List.of(put(i)));
                        }
                        return db.commit(List.of(put(20)));
                    })
                    .toCompletableFuture();
            last.get(60, TimeUnit.SECONDS);
            assertThat(keys(db, "leases")).hasSize(21);
        }
    }

    @Test
    void aFullQueueRefusesAtOnceAndWritesWhatItHasTaken() throws Exception {
        FaultyDisk disk = new FaultyDisk();
        StoreOptions tight = new StoreOptions(256 << 10, 3, TestRecords.CLOCK);
        try (ResourceDb db = JournaledResourceDb.open(directory(), tight, disk)) {
            List<CompletableFuture<Void>> taken = fill(db, disk, put(1));
            assertThat(taken).hasSizeBetween(3, 6); // the writer may have taken a full queue already
            taken.forEach(commit -> commit.orTimeout(60, TimeUnit.SECONDS).join());
            assertThat(keys(db, "leases")).hasSize(taken.size());
            commit(db, put(100));
        }
    }

    @Test
    void aQueueIsFullByBytesAsWellAndALargeCommitComesInAlone() throws Exception {
        FaultyDisk disk = new FaultyDisk();
        StoreOptions tight = new StoreOptions(256 << 10, 4096, 4 << 10, TestRecords.CLOCK);
        Change[] large = IntStream.range(0, 40).mapToObj(TestRecords::put).toArray(Change[]::new);
        try (ResourceDb db = JournaledResourceDb.open(directory(), tight, disk)) {
            List<CompletableFuture<Void>> taken = fill(db, disk, put(1));
            assertThat(taken).hasSizeBetween(4, 20);
            taken.forEach(commit -> commit.orTimeout(60, TimeUnit.SECONDS).join());
            commit(db, large);
            assertThat(keys(db, "leases")).hasSizeGreaterThanOrEqualTo(40);
        }
    }

    /** Commits until one is refused, while the disk does not answer; then it does. Returns those that were taken. */
    private static List<CompletableFuture<Void>> fill(ResourceDb db, FaultyDisk disk, Change first) {
        disk.forceGate = new CountDownLatch(1);
        List<CompletableFuture<Void>> taken = new ArrayList<>();
        CompletableFuture<Void> next = db.commit(List.of(first)).toCompletableFuture();
        for (int i = 2; !next.isCompletedExceptionally(); i++) {
            taken.add(next);
            next = db.commit(List.of(put(i))).toCompletableFuture();
        }
        assertThatThrownBy(next::join)
                .hasCauseInstanceOf(DbBusyException.class)
                .hasMessageContaining("too many commits wait for the disk");
        disk.forceGate.countDown();
        return taken;
    }

    @Test
    void closeWritesWhatWasAcceptedAndLaterCommitsFail() {
        ResourceDb db = open();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(db.commit(List.of(put(i))).toCompletableFuture());
        }
        db.close();
        assertThat(all).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThatThrownBy(() -> commit(db, put(1)))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("the database is closed");
        db.close();
        try (ResourceDb again = open()) {
            assertThat(keys(again, "leases")).hasSize(60);
        }
    }

    @Test
    void anInterruptedThreadMayCommitAndClose() {
        ResourceDb db = open();
        Thread.currentThread().interrupt();
        db.commit(List.of(put(1)));
        db.close();
        assertThat(Thread.interrupted()).isTrue();
        try (ResourceDb again = open()) {
            assertThat(keys(again, "leases")).hasSize(1);
        }
    }

    @Test
    void aCommitLargerThanAJournalFileIsTakenWhole() {
        try (ResourceDb db = JournaledResourceDb.open(directory(), TestRecords.SMALL)) {
            Change[] changes = new Change[500];
            for (int i = 0; i < changes.length; i++) {
                changes[i] = put(i);
            }
            commit(db, changes);
            commit(db, put(500));
        }
        try (ResourceDb db = JournaledResourceDb.open(directory(), TestRecords.SMALL)) {
            assertThat(keys(db, "leases")).hasSize(501);
        }
    }

    @Test
    void anEmptyCommitAndAKeyWithControlCharactersAreRefused() {
        try (ResourceDb db = open()) {
            assertThatThrownBy(() -> db.commit(List.of())).isInstanceOf(IllegalArgumentException.class);
            Change bad = new Change.RemoveIntent("a\tb");
            assertThatThrownBy(() -> db.commit(List.of(bad))).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
