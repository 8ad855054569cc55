package io.enipam.store;

import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.keys;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.store.FaultyDisk.Operation;
import io.enipam.store.FaultyDisk.Trap;
import io.enipam.store.SalvageResult.MissingCommits;
import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.testing.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Disks that fail for a while, and a database that goes on by itself. */
class HealingTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Trap NONE = (operation, file, done) -> {};

    @TempDir
    Path temp;

    private final FaultyDisk disk = new FaultyDisk();

    private Path live() {
        return temp.resolve("live");
    }

    private static Trap failing(String message, Set<Operation> operations) {
        return (operation, file, done) -> {
            if (operations.contains(operation) && !done) {
                throw new IOException(message);
            }
        };
    }

    /** The first force fails, after it has done its work: the worst case, for the frame is there. */
    private static Trap onceAfterAForce() {
        AtomicInteger forces = new AtomicInteger();
        return (operation, file, done) -> {
            if (operation == Operation.FORCE && done && forces.getAndIncrement() == 0) {
                throw new IOException("Input/output error");
            }
        };
    }

    private static void refused(ResourceDb db, int lease, String why) {
        assertThatThrownBy(() -> commit(db, put(lease)))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }

    private static void awaitHealth(ResourceDb db) {
        await().atMost(SOON).until(() -> db.trouble().isEmpty());
    }

    /** Commits again and again, as a caller that was told to try later. */
    private static void insist(ResourceDb db, Change... changes) {
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions()
                .until(() -> {
                    commit(db, changes);
                    return true;
                });
    }

    private static Set<Integer> leases(ResourceDb db) {
        Set<Integer> numbers = new TreeSet<>();
        keys(db, "leases")
                .forEach(key -> numbers.add(Integer.valueOf(key.replaceAll("^cbr0/sandbox-(\\d+)/eth0$", "$1"))));
        return numbers;
    }

    private static Set<Integer> reopened(Path directory) {
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL)) {
            return leases(db);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "WRITE, No space left on device",
        "WRITE, Read-only file system",
        "FORCE, Input/output error",
    })
    void troubleIsToldWithItsCauseAndGoneByItselfWhenTheDiskWorksAgain(Operation broken, String cause) {
        List<Optional<DbTrouble>> told = new CopyOnWriteArrayList<>();
        try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, disk)) {
            db.watch(told::add);
            commit(db, put(1));
            assertThat(db.trouble()).isEmpty();
            disk.trap = failing(cause, EnumSet.of(broken, Operation.CREATE));

            refused(db, 2, cause);

            assertThat(db.trouble())
                    .hasValueSatisfying(why -> assertThat(why.cause()).contains(live().toString(), cause));
            assertThat(leases(db)).as("what is in memory can be looked at").containsExactly(1);
            refused(db, 2, cause);
            disk.trap = NONE;
            awaitHealth(db);
            commit(db, put(3));
            assertThat(leases(db)).containsExactly(1, 3);
        }
        assertThat(told).hasSize(2);
        assertThat(told.get(0)).hasValueSatisfying(why -> {
            assertThat(why.cause()).contains(cause);
            assertThat(why.since()).isEqualTo(TestRecords.NOON);
        });
        assertThat(told.get(1)).isEmpty();
        assertThat(reopened(live())).containsExactly(1, 3);
    }

    @Test
    void afterOneForceThatFailedTheNextCommitGoesThroughInANewEpoch() {
        try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, disk)) {
            commit(db, put(1));
            disk.trap = onceAfterAForce();
            refused(db, 2, "Input/output error");
            commit(db, put(3));
            assertThat(Directories.files(live(), "journal-"))
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly(
                            "journal-0000000000000000000.log", "journal-0000000000000000002-0000000000000000001.log");
        }
        assertThat(reopened(live())).containsExactly(1, 3);
    }

    @Test
    void eachStepOfHealingMayFailAndALaterTryHealsAllTheSame() {
        int steps = 0;
        for (boolean done : new boolean[] {false, true}) {
            boolean reached = true;
            for (int step = 1; reached; step++) {
                reached = healsAlthoughAStepFails(step, done);
                steps += reached ? 1 : 0;
            }
        }
        assertThat(steps).isGreaterThan(14);
    }

    /** @return whether there is such a step */
    private boolean healsAlthoughAStepFails(int step, boolean done) {
        Path directory = temp.resolve("step-" + step + done);
        AtomicInteger passed = new AtomicInteger();
        Trap first = onceAfterAForce();
        try (ResourceDb db = JournaledResourceDb.open(directory, SMALL, disk)) {
            commit(db, put(1));
            disk.trap = (operation, file, after) -> {
                first.on(operation, file, after);
                boolean checkpoint = file.getFileName().toString().startsWith("checkpoint");
                if (!checkpoint && after == done && passed.incrementAndGet() == step + 2) { // behind the failed append
                    throw new IOException("step " + operation + " failed");
                }
            };
            refused(db, 2, "Input/output error");
            insist(db, put(3));
            insist(db, put(4));
            disk.trap = NONE;
            awaitHealth(db);
        }
        assertThat(reopened(directory)).as("step %s, done %s", step, done).containsExactly(1, 3, 4);
        return passed.get() >= step + 2;
    }

    /** What the next process finds, and whether a commit behind the failed one was acknowledged before. */
    private record Found(String moment, SimulatedDisk disk, boolean laterAcknowledged) {}

    @Test
    void whicheverSectorsAndNamesReachTheDiskThePowerMayGoAtAnyOperationDuringAndAfterHealing() {
        SimulatedDisk power = new SimulatedDisk(live(), CrashPoint.never());
        FaultyDisk faulty = new FaultyDisk(power);
        List<Found> images = new ArrayList<>();
        AtomicBoolean acknowledged = new AtomicBoolean();
        try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, faulty)) {
            commit(db, put(1));
            power.watch(operation -> images.addAll(found(power, operation, acknowledged.get(), images.size())));
            AtomicInteger tries = new AtomicInteger();
            faulty.trap = (operation, file, done) -> {
                // of the append, of its erasing, of the first new file's name, and of that file's removal
                boolean force = operation == Operation.FORCE && !done && tries.get() < 2;
                boolean name = operation == Operation.FORCE_DIRECTORY && !done && tries.get() == 2;
                boolean removal = operation == Operation.DELETE
                        && !done
                        && tries.get() == 3
                        && file.toString().endsWith(".log");
                if (force || name || removal) {
                    tries.incrementAndGet();
                    throw new IOException("Input/output error");
                }
            };
            refused(db, 2, "Input/output error");
            insist(db, put(3));
            acknowledged.set(true);
            commit(db, put(4));
        }
        assertThat(images).hasSizeGreaterThan(100);
        assertThat(Set.of(power.contents().keySet().toArray()))
                .contains("journal-0000000000000000002-0000000000000000002.log");
        assertThat(images).anyMatch(image -> image.moment().contains("to journal-") && !image.laterAcknowledged());
        int back = 0;
        for (Found image : images) {
            try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, image.disk())) {
                Set<Integer> leases = leases(db);
                assertThat(leases).as(image.moment()).contains(1);
                if (image.laterAcknowledged()) {
                    assertThat(leases).as(image.moment()).contains(3);
                }
                assertThat(leases.containsAll(Set.of(2, 3))).as(image.moment()).isFalse();
                back += leases.contains(2) ? 1 : 0;
                commit(db, put(5));
            }
        }
        assertThat(back).as("until then it may be found").isPositive();
    }

    private List<Found> found(SimulatedDisk disk, String moment, boolean acknowledged, int seed) {
        return List.of(
                new Found(moment + ", killed", disk.afterKill(live(), CrashPoint.never()), acknowledged),
                new Found(moment + ", power", disk.afterPowerLoss(live(), CrashPoint.never()), acknowledged),
                new Found(moment + ", late", disk.afterLatePowerLoss(live(), CrashPoint.never()), acknowledged),
                new Found(
                        moment + ", some",
                        disk.afterPowerLoss(new Random(seed), live(), CrashPoint.never()),
                        acknowledged));
    }

    @Test
    void aFullDiskIsToldBeforeAnyCommitFailsAndLeasesCanStillBeEnded() {
        StoreOptions larger = new StoreOptions(64 << 10, 4096, TestRecords.CLOCK);
        try (ResourceDb db = JournaledResourceDb.open(live(), larger, disk)) {
            disk.failCreates = true;
            int leases = 0;
            while (db.trouble().isEmpty()) {
                commit(db, put(leases++));
            }
            assertThat(db.trouble())
                    .hasValueSatisfying(why -> assertThat(why.cause())
                            .contains("cannot make a new journal file in " + live() + ": No space left on device"));
            for (int i = 0; i < 30; i++) {
                commit(db, new Change.RemoveLease(owner(i)));
            }
            assertThat(leases(db)).hasSize(leases - 30);
            String last = "";
            for (int i = 1000; last.isEmpty(); i++) {
                try {
                    commit(db, put(i));
                    leases++;
                } catch (CompletionException e) {
                    last = e.getCause().getMessage();
                }
            }
            assertThat(last).contains("No space left on device");
            disk.failCreates = false;
            awaitHealth(db);
            commit(db, put(5000));
            assertThat(leases(db)).hasSize(leases - 30 + 1);
            Set<Integer> expected = leases(db);
            db.close();
            assertThat(reopened(live())).isEqualTo(expected);
        }
    }

    @Test
    void aSmallCommitDoesNotFailForTheRoomThatTheOnesBesideItNeed() throws Exception {
        try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, disk)) {
            disk.failCreates = true;
            for (int i = 0; db.trouble().isEmpty(); i++) {
                commit(db, put(i));
            }
            int before = leases(db).size();
            Change[] large =
                    IntStream.range(2000, 2020).mapToObj(TestRecords::put).toArray(Change[]::new);
            disk.forceGate = new CountDownLatch(1);
            List<CompletableFuture<Void>> group = new ArrayList<>();
            for (int i = 0; i < 3; i++) { // the first one has the writer wait, so that the others become one group
                group.add(db.commit(List.of(new Change.RemoveLease(owner(i)))).toCompletableFuture());
                group.add(db.commit(List.of(large)).toCompletableFuture());
            }
            disk.forceGate.countDown();
            for (int i = 0; i < group.size(); i++) {
                CompletableFuture<Void> one = group.get(i);
                await().atMost(SOON).until(one::isDone);
                assertThat(one.isCompletedExceptionally()).as("commit %s", i).isEqualTo(i % 2 == 1);
            }
            assertThat(leases(db)).hasSize(before - 3);
            disk.failCreates = false;
        }
    }

    @Test
    void aCheckpointThatFailsAtTheSameTimeCostsNothing() {
        try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, disk)) {
            commit(db, put(1));
            Trap append = onceAfterAForce();
            disk.trap = (operation, file, done) -> {
                append.on(operation, file, done);
                if (file.getFileName().toString().startsWith("checkpoint")) {
                    throw new IOException("No space left on device");
                }
            };
            refused(db, 2, "Input/output error");
            for (int i = 3; i < 100; i++) {
                insist(db, put(i));
            }
            assertThat(db.trouble()).isEmpty();
            Path killed = Directories.copy(live(), temp.resolve("killed"));
            assertThat(reopened(killed)).hasSize(98).doesNotContain(2);
            disk.trap = NONE;
        }
        assertThat(Directories.files(live(), "checkpoint-")).hasSize(1);
        assertThat(reopened(live())).hasSize(98).doesNotContain(2);
    }

    @Test
    void aDiskThatFailsAgainAndAgainBetweenRotationsAndCheckpointsNeverCostsAnAcknowledgedCommit() {
        Random random = new Random(3);
        AtomicInteger forces = new AtomicInteger();
        Set<Integer> expected = new TreeSet<>();
        try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, disk)) {
            disk.trap = (operation, file, done) -> {
                boolean journal = file.getFileName().toString().startsWith("journal");
                if (operation == Operation.FORCE && journal && done && forces.incrementAndGet() % 23 == 0) {
                    throw new IOException("Input/output error");
                }
            };
            for (int i = 0; i < 300; i++) {
                int lease = random.nextInt(60);
                if (expected.contains(lease)) {
                    insist(db, new Change.RemoveLease(owner(lease)));
                    expected.remove(lease);
                } else {
                    insist(db, put(lease));
                    expected.add(lease);
                }
                if (i % 50 == 49) {
                    Path killed = copyOfALivingOne(i);
                    assertThat(reopened(killed)).as("after %s", i).isEqualTo(expected);
                }
            }
            disk.trap = NONE;
            insist(db, put(99));
            expected.add(99);
        }
        assertThat(forces.get()).isGreaterThan(300);
        assertThat(reopened(live())).isEqualTo(expected);
        assertThat(Directories.files(live(), "journal-"))
                .as("old ones are removed")
                .hasSizeLessThan(8);
    }

    /** Files may go while it is copied: those are not needed. */
    private Path copyOfALivingOne(int number) {
        AtomicInteger tries = new AtomicInteger();
        List<Path> copy = new ArrayList<>();
        await().atMost(SOON).ignoreExceptions().until(() -> {
            copy.add(Directories.copy(live(), temp.resolve("killed-" + number + "-" + tries.incrementAndGet())));
            return true;
        });
        return copy.get(copy.size() - 1);
    }

    @Test
    void aDiskWhoseEveryForceFailsDoesNotFillItWithNewFiles() {
        try (ResourceDb db = JournaledResourceDb.open(live(), SMALL, disk)) {
            commit(db, put(1));
            Set<Path> seen = new HashSet<>();
            disk.trap = (operation, file, done) -> {
                seen.add(file);
                if (operation == Operation.FORCE && !file.toString().endsWith(".tmp")) {
                    throw new IOException("Input/output error");
                }
            };
            for (int i = 0; i < 60; i++) {
                refused(db, 2, "Input/output error");
                assertThatCode(() -> Thread.sleep(10)).doesNotThrowAnyException();
            }
            assertThat(seen).as("tried more than once").hasSizeGreaterThan(3);
            assertThat(Directories.files(live(), "journal-")).hasSizeLessThan(4);
            disk.trap = NONE;
            insist(db, put(3));
        }
        assertThat(reopened(live())).containsExactly(1, 3);
    }

    @Test
    void aDatabaseInTroubleClosesAndTheNextOneHasAllThatWasAcknowledged() {
        ResourceDb db = JournaledResourceDb.open(live(), ROOMY, disk);
        commit(db, put(1));
        disk.trap = failing("Input/output error", EnumSet.allOf(Operation.class));
        refused(db, 2, "Input/output error");
        db.close();
        assertThat(reopened(live())).containsExactly(1);
    }

    @Test
    void anOpenWritesTheLastGroupOnceMoreSinceAForceThatFailedLeavesPagesThatNoForceWrites() {
        try (ResourceDb db = JournaledResourceDb.open(live(), ROOMY)) {
            commit(db, put(1));
            Path killed = Directories.copy(live(), temp.resolve("killed"));
            List<String> done = new CopyOnWriteArrayList<>();
            disk.trap = (operation, file, after) -> {
                if (after && file.getFileName().toString().startsWith("journal")) {
                    done.add(operation.toString());
                }
            };
            try (ResourceDb again = JournaledResourceDb.open(killed, ROOMY, disk)) {
                assertThat(leases(again)).containsExactly(1);
                assertThat(done).containsSubsequence("open", "write", "force");
            }
        }
    }

    /** A directory with commits 1 to 11 in epoch 0, a void one behind them, and 12 to 21 in epoch 1. */
    private Path twoEpochs() {
        try (ResourceDb db = JournaledResourceDb.open(live(), ROOMY, disk)) {
            for (int i = 1; i <= 10; i++) {
                commit(db, put(i));
            }
            Trap once = onceAfterAForce();
            AtomicInteger writes = new AtomicInteger();
            disk.trap = (operation, file, done) -> {
                if (operation == Operation.WRITE && !done && writes.getAndIncrement() == 1) {
                    throw new IOException("nothing is erased");
                }
                once.on(operation, file, done);
            };
            refused(db, 100, "Input/output error");
            for (int i = 11; i <= 20; i++) {
                insist(db, put(i));
            }
            return Directories.copy(live(), temp.resolve("killed"));
        }
    }

    @Test
    void damageOfAnAcknowledgedCommitDoesNotPassForAVoidOne() throws IOException {
        Path killed = twoEpochs();
        Directories.files(killed, "checkpoint-")
                .forEach(file -> assertThat(file.toFile().delete()).isTrue());
        StoreDirectory names = new StoreDirectory(killed);
        byte[] older = Files.readAllBytes(names.segment(0, 0));
        int end = SegmentScan.of(names.segment(0, 0), older, 11, (generation, offset, payload) -> {})
                .end();
        Random random = new Random(9);
        for (int i = 0; i < 150; i++) {
            Path copy = Directories.copy(killed, temp.resolve("damaged-" + i));
            Path file = new StoreDirectory(copy).segment(0, 0);
            int at = i % 5 == 0 ? random.nextInt(40) : random.nextInt(SegmentHeader.BYTES, end);
            byte before = older[at];
            Directories.flip(file, 8L * at + random.nextInt(8));
            try (ResourceDb db = JournaledResourceDb.open(copy, ROOMY)) {
                // the bytes between two frames, and those of the header that nobody reads, are no commit
                assertThat(before).as("offset %s", at).isZero();
                assertThat(leases(db)).hasSize(20).doesNotContain(100);
            } catch (StoreException e) {
                assertThat(e.getMessage()).contains("is damaged at offset");
            }
        }
    }

    @Test
    void aVoidCommitMayBeDamagedAndALostEndOfAnEpochMayNot() throws IOException {
        Path killed = twoEpochs();
        Directories.files(killed, "checkpoint-")
                .forEach(file -> assertThat(file.toFile().delete()).isTrue());
        Path file = new StoreDirectory(killed).segment(0, 0);
        byte[] image = Files.readAllBytes(file);
        int end = SegmentScan.of(file, image, 11, (generation, offset, payload) -> {})
                .end();
        assertThat(FrameHeader.read(image, end))
                .as("the failed commit is there")
                .isPresent();
        Path copy = Directories.copy(killed, temp.resolve("void"));
        Directories.flip(new StoreDirectory(copy).segment(0, 0), 8L * (end + 50));
        assertThat(reopened(copy)).hasSize(20);

        Arrays.fill(image, end - 100, image.length, (byte) 0);
        Files.write(file, image);
        assertThatThrownBy(() -> JournaledResourceDb.open(killed, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("commits 11 to 11 were made and are not in the journal");
    }

    @Test
    void whatIsSalvagedOfDamagedEpochsHasNoVoidCommit() throws IOException {
        Path killed = twoEpochs();
        Directories.files(killed, "checkpoint-")
                .forEach(file -> assertThat(file.toFile().delete()).isTrue());
        StoreDirectory names = new StoreDirectory(killed);
        Path newer = names.segment(11, 1);
        int third = SegmentScan.of(newer, Files.readAllBytes(newer), 13, (generation, offset, payload) -> {})
                .end();
        Directories.flip(newer, 8L * (third + 50));

        SalvageResult found = new SalvageReader(new LocalDisk(), names).read();

        assertThat(found.state()).isEqualTo(SalvageResult.State.DAMAGED);
        assertThat(found.records().leases())
                .extracting(lease -> lease.value().owner())
                .hasSize(19)
                .doesNotContain(owner(100), owner(13));
        assertThat(found.commits().gaps()).containsExactly(new MissingCommits(14, 14));
    }

    @Test
    void aFileWhoseNameTellsAnotherEpochIsRefused() throws IOException {
        Path killed = twoEpochs();
        StoreDirectory names = new StoreDirectory(killed);
        Files.move(names.segment(11, 1), names.segment(11, 2));
        assertThatThrownBy(() -> JournaledResourceDb.open(killed, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is of epoch 1, its name says otherwise");
    }

    @Test
    void anEpochThatBeginsBeforeAFileOfAnOlderOneIsRefused() throws IOException {
        Path killed = twoEpochs();
        Segment.create(new LocalDisk(), new StoreDirectory(killed), new SegmentHeader(8 << 10, 500, 0, 0))
                .close();
        assertThatThrownBy(() -> JournaledResourceDb.open(killed, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("follows on commit 500, but a later epoch goes on from commit 11");
    }

    @Test
    void aJournalFileOfANewerFormatIsNotTakenForDamage() throws IOException {
        JournaledResourceDb.open(live(), ROOMY).close();
        Path file = new StoreDirectory(live()).segment(0, 0);
        byte[] image = Files.readAllBytes(file);
        image[7] = '3';
        CRC32C crc = new CRC32C();
        crc.update(image, 0, 4092);
        ByteBuffer.wrap(image).putInt(4092, (int) crc.getValue());
        Files.write(file, image);
        assertThatThrownBy(() -> JournaledResourceDb.open(live(), ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessage("journal file " + file + " has format 3, this program knows up to 2");
    }

    @Test
    void aFileOfAHigherEpochThatVanishedIsToldOrWhatItMadeVoidWouldCountAgain() throws IOException {
        try (ResourceDb db = JournaledResourceDb.open(live(), ROOMY, disk)) {
            commit(db, put(1));
            disk.trap = onceAfterAForce();
            refused(db, 2, "Input/output error");
            Path first = new StoreDirectory(live()).segment(0, 0);
            disk.trap = (operation, file, done) -> {
                if (operation == Operation.DELETE && file.equals(first)) {
                    throw new IOException("it shall stay");
                }
            };
            insist(db, put(3));
        }
        Files.delete(Directories.last(live(), "journal-"));

        assertThatThrownBy(() -> JournaledResourceDb.open(live(), ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("journal-")
                .hasMessageContaining("is missing");
    }
}
