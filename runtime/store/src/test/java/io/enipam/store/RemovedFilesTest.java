package io.enipam.store;

import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.keys;
import static io.enipam.store.TestRecords.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.CrashPoint.Location;
import io.enipam.store.FaultyDisk.Operation;
import io.enipam.store.testing.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database whose files are removed or replaced while it is in use. */
class RemovedFilesTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path temp;

    private Path live;

    @BeforeEach
    void aPlace() {
        live = temp.resolve("live");
    }

    /** In one step: the database may write all anew at any moment. */
    private void remove(Path directory) throws IOException {
        Path removed = Files.move(directory, temp.resolve("removed-" + System.nanoTime()));
        try (Stream<Path> files = Files.list(removed)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(removed);
    }

    private static void fill(ResourceDb db, int from, int to) {
        IntStream.range(from, to).forEach(n -> commit(db, put(n)));
    }

    /** Commits until it is done, as a caller that is told to try later; how often it was refused. */
    private static int insist(ResourceDb db, int lease) {
        List<Throwable> refused = new CopyOnWriteArrayList<>();
        await().atMost(SOON).until(() -> {
            try {
                commit(db, put(lease));
                return true;
            } catch (CompletionException e) {
                refused.add(e);
                return false;
            }
        });
        return refused.size();
    }

    /** The leases that the next process finds after this one was killed. */
    private List<String> afterKill() {
        Path killed = Directories.copy(live, temp.resolve("killed-" + System.nanoTime()));
        try (ResourceDb db = JournaledResourceDb.open(killed, SMALL)) {
            return keys(db, "leases");
        }
    }

    private static String[] sandboxes(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(n -> "cbr0/sandbox-" + n + "/eth0")
                .toArray(String[]::new);
    }

    @Test
    void aCommitOnFilesThatWereRemovedIsRefusedAndAllThatWasAcknowledgedIsWrittenAnew() throws Exception {
        List<Optional<DbTrouble>> told = new CopyOnWriteArrayList<>();
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            db.watch(told::add);
            fill(db, 0, 40);
            remove(live);

            int refused = insist(db, 40);
            fill(db, 41, 60);

            await().atMost(SOON).until(() -> told.size() == 2);
            assertThat(told.get(0))
                    .hasValueSatisfying(trouble -> assertThat(trouble.cause())
                            .contains("was removed or replaced while the database was in use"));
            assertThat(told.get(1)).isEmpty();
            assertThat(refused).isLessThanOrEqualTo(1);
            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 60));
        }
        assertThat(afterKill()).hasSize(60);
    }

    @Test
    void anIdleDatabaseNoticesItByItselfAndOneThatClosesAsWell() throws Exception {
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            fill(db, 0, 5);
            remove(live);

            await().atMost(SOON)
                    .until(() -> Files.isDirectory(live)
                            && Directories.files(live, "journal-").stream()
                                    .anyMatch(file -> file.toString().endsWith(".log")));
            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 5));
            remove(live);
        }
        assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 5));
    }

    @Test
    void aJournalFileThatWasRemovedAloneIsMadeGoodBesideTheFilesThatStayed() throws Exception {
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            fill(db, 0, 100);
            for (Path file : Directories.files(live, "journal-")) {
                Files.deleteIfExists(file);
            }
            insist(db, 100);
            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 101));
            assertThat(Directories.files(live, "checkpoint-"))
                    .noneMatch(file -> file.toString().contains("replaced"));
        }
    }

    @Test
    void aDirectoryThatWasReplacedByAnOlderCopyKeepsTheCopyAndGoesOnWithWhatWasAcknowledgedLast() throws Exception {
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            fill(db, 0, 50);
            Path copy = Directories.copy(live, temp.resolve("copy"));
            fill(db, 50, 90);
            Files.move(live, temp.resolve("away"));
            Files.move(copy, live);

            insist(db, 90);
            fill(db, 91, 150);

            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 150));
            assertThat(live).isDirectoryContaining("glob:**/journal-*.log.replaced-*");
        }
        assertThat(afterKill()).hasSize(150);
    }

    @Test
    void filesOfAnotherOriginAreKeptAsideThoughTheFirstTryToBeginAnewFoundNoRoom() throws Exception {
        FaultyDisk disk = new FaultyDisk();
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL, disk)) {
            fill(db, 0, 5);
            Path next = temp.resolve("next");
            try (ResourceDb other = JournaledResourceDb.open(next, SMALL)) {
                fill(other, 100, 200);
            }
            AtomicInteger tries = new AtomicInteger();
            disk.trap = (operation, file, done) -> {
                if (operation == Operation.CREATE && file.startsWith(live) && tries.getAndIncrement() < 3) {
                    throw new IOException("No space left on device");
                }
            };
            Files.move(live, temp.resolve("away"));
            Files.move(next, live);

            insist(db, 5);

            assertThat(tries).hasValueGreaterThan(3);
            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 6));
        }
    }

    @Test
    void aLockThatWasRemovedIsNoticedUnderLoadAndNoCommitIsWrittenBeforeItIsTakenAgain() throws Exception {
        FaultyDisk disk = new FaultyDisk();
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL, disk)) {
            fill(db, 0, 5);
            Path journal = Directories.last(live, "journal-");
            disk.failCreates = true;
            List<Path> written = new CopyOnWriteArrayList<>();
            disk.trap = (operation, file, done) -> {
                if (operation == Operation.WRITE) {
                    written.add(file);
                }
            };
            Files.delete(live.resolve("lock"));
            assertThatThrownBy(() -> commit(db, put(5))).hasMessageContaining("was removed or replaced");
            assertThat(written).doesNotContain(journal);
            disk.failCreates = false;
            insist(db, 5);
            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 6));
        }
    }

    @Test
    void theDirectoryOfADatabaseThatAnotherProcessHasLockedIsLeftAloneUntilThatProcessEnds() throws Exception {
        Path next = Files.createDirectory(temp.resolve("next"));
        Files.createFile(next.resolve("lock"));
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            fill(db, 0, 5);
            try (LockHolder other = LockHolder.exclusive(next.resolve("lock"))) {
                Files.move(live, temp.resolve("away"));
                Files.move(next, live);
                await().atMost(SOON)
                        .untilAsserted(() -> assertThatThrownBy(() -> commit(db, put(5)))
                                .hasMessageContaining("is locked by pid " + other.pid()));
                assertThat(live).isDirectoryNotContaining("glob:**/journal-*");
            }
            insist(db, 5);
            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 6));
        }
    }

    @Test
    void aLockThatWasRemovedIsTakenAgainBeforeAnotherProcessCanOpenTheSameFiles() throws Exception {
        try (ResourceDb db = JournaledResourceDb.open(live, SMALL)) {
            fill(db, 0, 5);
            Files.delete(live.resolve("lock"));

            await().atMost(SOON).until(() -> Files.exists(live.resolve("lock")));
            assertThatThrownBy(() -> LockHolder.exclusive(live.resolve("lock"))).hasMessageContaining("did not lock");
            insist(db, 5);
            assertThat(afterKill()).containsExactlyInAnyOrder(sandboxes(0, 6));
        }
    }

    @Test
    void aDeathAtAnyOperationOfWritingAllAnewLeavesAllOrNothingAndEverythingAcknowledgedAfterIt() throws Exception {
        int deaths = 0;
        List<String> wrong = new ArrayList<>();
        Life whole = new Life(CrashPoint.never());
        assertThat(whole.acknowledged).isEqualTo(6);
        for (Location point : whole.fate.points()) {
            if (point.actor().equals("checkpoint")) {
                Life life = new Life(CrashPoint.crashAt(point));
                deaths++;
                for (SimulatedDisk found : life.found()) {
                    try (ResourceDb db = JournaledResourceDb.open(found.directory(), ROOMY, found)) {
                        int leases = keys(db, "leases").size();
                        if (leases != 6 && (life.acknowledged == 6 || leases != 5 && leases != 0)) {
                            wrong.add(life.fate.describe() + ", " + found + ": " + leases + " leases");
                        }
                        found.fate().kill();
                    } catch (StoreException e) {
                        wrong.add(life.fate.describe() + ", " + found + ": " + e.getMessage());
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(deaths).isGreaterThan(20);
    }

    /** Five commits, all files removed for good, and a sixth commit. */
    private final class Life {
        final CrashPoint fate;
        final SimulatedDisk disk;
        int acknowledged;

        Life(CrashPoint fate) throws Exception {
            this.fate = fate;
            this.disk = new SimulatedDisk(temp.resolve("life-" + System.nanoTime()), fate);
            try (ResourceDb db = JournaledResourceDb.open(disk.directory(), ROOMY, disk)) {
                fill(db, 0, 5);
                for (String name : disk.contents().keySet()) {
                    disk.delete(disk.directory().resolve(name));
                }
                disk.forceDirectory(disk.directory());
                acknowledged = 5;
                while (!fate.hasCrashed() && acknowledged == 5) {
                    try {
                        commit(db, put(5));
                        acknowledged = 6;
                    } catch (CompletionException e) {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                }
                if (acknowledged == 6) {
                    fate.kill();
                }
            }
        }

        List<SimulatedDisk> found() {
            return List.of(
                    disk.afterKill(temp.resolve("killed-" + System.nanoTime()), CrashPoint.never()),
                    disk.afterPowerLoss(temp.resolve("without-power-" + System.nanoTime()), CrashPoint.never()),
                    disk.afterPowerLoss(
                            new Random(fate.describe().hashCode()),
                            temp.resolve("some-sectors-" + System.nanoTime()),
                            CrashPoint.never()));
        }
    }
}
