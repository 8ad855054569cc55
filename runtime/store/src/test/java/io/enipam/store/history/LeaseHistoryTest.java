package io.enipam.store.history;

import static io.enipam.store.history.EndedLeases.CLOCK;
import static io.enipam.store.history.EndedLeases.ROOMY;
import static io.enipam.store.history.EndedLeases.commit;
import static io.enipam.store.history.EndedLeases.ended;
import static io.enipam.store.history.EndedLeases.everything;
import static io.enipam.store.history.EndedLeases.lease;
import static io.enipam.store.history.EndedLeases.of;
import static io.enipam.store.history.EndedLeases.put;
import static io.enipam.store.history.EndedLeases.remove;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.LeaseHistory.LeaseQuery;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.CrashPoint.Location;
import io.enipam.store.ChildJvm;
import io.enipam.store.Disk;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.StoreException;
import io.enipam.store.StoreOptions;
import io.enipam.store.history.EndedLeases.Node;
import io.enipam.store.testing.SimulatedDisk;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LeaseHistoryTest {
    private static final Logger FIGURES = LoggerFactory.getLogger("figures");
    private static final int KILLS = Integer.getInteger("enipam.history.kills", 5);
    private static final int LEASES = Integer.getInteger("enipam.history.leases", 20_000);

    @TempDir
    Path temp;

    @Test
    void aLeaseThatEndedIsFoundByItsAddressWithTheReasonAlsoAfterTenRestarts() throws Exception {
        for (int restart = 0; restart < 10; restart++) {
            try (Node node = Node.open(temp)) {
                commit(node.db(), put(restart));
                commit(node.db(), remove(restart));
                commit(node.db(), put(restart + 250));
                assertThat(node.history().find(of("10.1.2.1"))).first().isEqualTo(ended(restart == 0 ? 0 : 250));
                commit(node.db(), remove(restart + 250));
            }
        }
        try (Node node = Node.open(temp)) {
            assertThat(node.history().find(of("10.1.2.1"))).containsExactly(ended(250), ended(0));
            assertThat(node.history().find(everything())).hasSize(20);
            assertThat(node.history().state().trouble()).isEmpty();
        }
    }

    @Test
    void aRowThatIsWrittenAnewForTheUidOfThePodAloneIsNoEnd() throws Exception {
        try (Node node = Node.open(temp)) {
            commit(node.db(), put(1));
            commit(node.db(), put(1));
            assertThat(node.history().find(everything())).isEmpty();
            commit(node.db(), new Change.RemoveLease(lease(1).owner()));
            assertThat(node.history().find(everything()))
                    .singleElement()
                    .extracting(lease -> lease.end().orElseThrow().reason())
                    .isEqualTo(LeaseEnd.Reason.UNKNOWN);
        }
    }

    @Test
    void leasesOlderThanTheLimitAreForgottenAndSegmentsOverTheSizeAreDeletedTheOldestFirst() throws Exception {
        try (Node node = Node.open(temp)) {
            for (int n = 0; n < 64; n++) {
                commit(node.db(), put(n));
                commit(node.db(), remove(n));
                if (n % 16 == 15) {
                    node.history().reached(0);
                }
            }
        }
        Path files = temp.resolve("history");
        try (LeaseHistoryFiles small = LeaseHistoryFiles.open(
                files, () -> new HistoryLimits(Duration.ofDays(30), 4 << 10), CLOCK, Disk.local(), 16)) {
            small.reached(0);
            List<LeaseRecord> left = small.find(everything());
            assertThat(left)
                    .isNotEmpty()
                    .hasSizeLessThan(64)
                    .contains(ended(63))
                    .doesNotContain(ended(0));
        }
        Clock later = Clock.fixed(CLOCK.instant().plus(Duration.ofDays(31)), ZoneOffset.UTC);
        try (LeaseHistoryFiles old = LeaseHistoryFiles.open(files, () -> ROOMY, later, Disk.local(), 16)) {
            old.reached(0);
            assertThat(old.find(everything())).isEmpty();
        }
    }

    @Test
    void aLeaseThatARestoredDatabaseDoesNotHaveEndedWithTheRestore() throws Exception {
        try (Node node = Node.open(temp)) {
            commit(node.db(), put(1), put(2));
        }
        Clock later = Clock.fixed(CLOCK.instant().plusSeconds(1), ZoneOffset.UTC);
        Path other = temp.resolve("other");
        try (ResourceDb db = JournaledResourceDb.open(other, new StoreOptions(8 << 10, 64, later), Disk.local())) {
            commit(db, put(2));
        }
        Files.move(temp.resolve("db"), temp.resolve("db.before-restore-20261122T120000Z"));
        Files.move(other, temp.resolve("db"));
        for (int start = 0; start < 2; start++) {
            try (Node node = Node.open(temp)) {
                LeaseEnd restore = new LeaseEnd(
                        LeaseEnd.Reason.RESTORE, "", "the restored database does not have it", CLOCK.instant());
                assertThat(node.history().find(everything()))
                        .containsExactly(LeaseRecord.of(lease(1), Optional.of(restore)));
                assertThat(node.history().state().trouble()).isEmpty();
            }
        }
    }

    @Test
    void aSegmentThatIsDamagedIsPutAsideAndSaidAndTheRestIsFound() throws Exception {
        try (Node node = Node.open(temp)) {
            for (int n = 0; n < 64; n++) {
                commit(node.db(), put(n));
                commit(node.db(), remove(n));
            }
            node.history().reached(0);
        }
        Path first;
        try (Stream<Path> all = Files.list(temp.resolve("history"))) {
            first = all.filter(path -> path.toString().endsWith(".seg"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(first);
        bytes[40] ^= 1;
        Files.write(first, bytes);
        try (Node node = Node.open(temp)) {
            assertThat(node.history().state().trouble())
                    .hasValueSatisfying(why -> assertThat(why).contains(first.getFileName() + ".damaged"));
            assertThat(node.history().find(everything())).contains(ended(63));
            commit(node.db(), put(100));
            commit(node.db(), remove(100));
            assertThat(node.history().find(everything())).contains(ended(100));
        }
    }

    @Test
    void aDeathAtAnyOperationOnTheDiskLosesNoLeaseWhoseEndWasAcknowledgedAndNamesNoneTwice() throws Exception {
        Life whole = new Life(CrashPoint.never());
        int deaths = 0;
        for (Location point : whole.fate.points()) {
            Life life = new Life(CrashPoint.crashAt(point));
            deaths++;
            life.check("killed", SimulatedDisk::afterKill);
            life.check("without power", SimulatedDisk::afterPowerLoss);
        }
        FIGURES.info("crash points of the history of leases: {} deaths, no end of a lease lost", deaths);
        assertThat(deaths).isGreaterThan(100);
    }

    private interface Remains {
        SimulatedDisk of(SimulatedDisk disk, Path directory, CrashPoint next);
    }

    /** Leases that begin and end, one after the other, until the process dies. */
    private final class Life {
        final CrashPoint fate;
        final Path directory;
        final SimulatedDisk database;
        final SimulatedDisk files;
        private final Set<LeaseRecord> acknowledged = new HashSet<>();

        Life(CrashPoint fate) throws Exception {
            this.fate = fate;
            directory = Files.createTempDirectory(temp, "life");
            Files.createDirectory(directory.resolve("history"));
            database = new SimulatedDisk(directory.resolve("db"), fate);
            files = new SimulatedDisk(directory.resolve("history"), fate);
            try (Node node = Node.open(directory, database, files)) {
                for (int n = 0; n < 24 && !fate.hasCrashed(); n++) {
                    commit(node.db(), put(n));
                    commit(node.db(), remove(n));
                    acknowledged.add(ended(n));
                }
            } catch (CompletionException | StoreException e) {
                assertThat(fate.hasCrashed()).as("%s", e).isTrue();
            }
        }

        void check(String how, Remains remains) throws Exception {
            Path next = Files.createTempDirectory(temp, "next");
            CrashPoint never = CrashPoint.never();
            try (Node node = Node.open(
                    next,
                    remains.of(database, next.resolve("db"), never),
                    remains.of(files, next.resolve("history"), never))) {
                List<LeaseRecord> found = node.history().find(everything());
                String story = fate.describe() + ", " + how;
                assertThat(found).as(story).containsAll(acknowledged).doesNotHaveDuplicates();
                assertThat(found.size()).as(story).isLessThanOrEqualTo(acknowledged.size() + 1);
                assertThat(node.history().state().trouble()).as(story).isEmpty();
            }
        }
    }

    @Test
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void aProcessThatIsKilledAgainAndAgainLosesNoLeaseOfTheHistoryWhoseEndItAcknowledged() throws Exception {
        Random random = new Random(23);
        Set<Integer> acknowledged = new HashSet<>();
        int start = 0;
        for (int round = 0; round < KILLS; round++) {
            for (String line : killed(start, 20 + random.nextInt(300))) {
                if (line.endsWith(";")) { // else the kill cut it
                    int n = Integer.parseInt(line.replace(";", ""));
                    acknowledged.add(n);
                    start = Math.max(start, n % EndingProcess.SPAN);
                }
            }
            start += 2;
            String story = "round " + round;
            try (Node node = Node.open(temp)) {
                Set<String> found = new HashSet<>();
                node.history()
                        .find(everything())
                        .forEach(lease -> assertThat(found.add(lease.owner().toString()))
                                .as(story)
                                .isTrue());
                assertThat(acknowledged)
                        .as(story)
                        .allMatch(n -> found.contains(lease(n).owner().toString()));
            }
            if (round % 50 == 49) {
                FIGURES.info(
                        "history of leases: {} kills so far, {} ends acknowledged", round + 1, acknowledged.size());
            }
        }
        FIGURES.info("history of leases: {} kills, {} ends acknowledged, none lost", KILLS, acknowledged.size());
    }

    private List<String> killed(int start, int lines) throws Exception {
        Process process = ChildJvm.start(EndingProcess.class, temp.toString(), Integer.toString(start));
        List<String> read = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                read.add(line);
                if (read.size() == lines) {
                    process.toHandle().destroyForcibly(); // the process's own method would close the stream as well
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return read;
    }

    @Test
    void aLeaseTakesAHundredBytesAtMostAndAnAddressIsFoundWithItsLastLeaseFirst() throws Exception {
        Path files = Files.createDirectory(temp.resolve("history"));
        int segment = 8192;
        int segments = (LEASES + segment - 1) / segment;
        for (int i = 0; i < segments; i++) {
            List<LeaseRecord> leases = IntStream.range(i * segment, (i + 1) * segment)
                    .mapToObj(EndedLeases::ended)
                    .toList();
            Files.write(
                    files.resolve("leases-%010d.seg".formatted(i + 1)),
                    HistorySegment.image(new LeaseFormat(), leases, i + 1, 1));
        }
        try (LeaseHistoryFiles history = LeaseHistoryFiles.open(
                files, () -> new HistoryLimits(Duration.ofDays(3000), 1L << 40), CLOCK, Disk.local())) {
            long from = System.nanoTime();
            List<LeaseRecord> found = history.find(of("10.1.2.77"));
            long first = System.nanoTime() - from;
            from = System.nanoTime();
            history.find(of("10.1.2.78"));
            long second = System.nanoTime() - from;
            from = System.nanoTime();
            assertThat(history.find(of(ended(17).pod().toString()))).containsExactly(ended(17));
            long pod = System.nanoTime() - from;
            long leases = history.state().leases();
            double each = (double) history.state().bytes() / leases;
            FIGURES.info(
                    "history of leases: {} leases, {} bytes each, who: {} ms cold, {} ms then, {} found, a pod of the oldest: {} ms",
                    leases,
                    "%.1f".formatted(each),
                    first / 1_000_000,
                    second / 1_000_000,
                    found.size(),
                    pod / 1_000_000);
            assertThat(each).isLessThanOrEqualTo(100);
            assertThat(found).hasSize((int)
                    IntStream.range(0, (int) leases).filter(n -> n % 250 == 76).count());
            assertThat(found).first().isEqualTo(ended(found.size() * 250 - 174));
            LeaseQuery last = new LeaseQuery(Optional.of("10.1.2.77"), Instant.EPOCH, Instant.MAX, 3);
            assertThat(history.find(last)).isEqualTo(found.subList(0, 3));
        }
    }

    @Test
    void aLeaseInAFullFileIsFoundByEachNameThatItHasAndFewBlocksAreReadForIt() throws Exception {
        Path file = temp.resolve("leases-0000000001.seg");
        Files.write(
                file,
                HistorySegment.image(
                        new LeaseFormat(),
                        IntStream.range(0, 8192).mapToObj(EndedLeases::ended).toList(),
                        1,
                        1));
        HistorySegment<LeaseRecord> segment = HistorySegment.open(new LeaseFormat(), Disk.local(), file);
        LeaseRecord lease = ended(4711);
        String container = lease.owner().containerId();
        for (String name : List.of(
                lease.pod().toString(),
                lease.pod().name(),
                lease.podUid(),
                container,
                container.substring(0, 12),
                container.substring(0, 20))) {
            assertThat(matching(segment, name)).as(name).containsExactly(lease);
            assertThat(segment.candidates(Disk.local(), search(of(name))))
                    .as(name)
                    .hasSizeLessThanOrEqualTo(2);
        }
        for (String name :
                List.of(lease.eni(), lease.resource(), lease.addresses().get(0))) {
            assertThat(matching(segment, name)).as(name).contains(lease);
        }
        assertThat(segment.candidates(Disk.local(), search(of("10.1.2.77")))).hasSizeLessThanOrEqualTo(8);
        assertThat(matching(segment, "10.9.9.9")).isEmpty();
        int inVain = 0;
        for (int n = 0; n < 1000; n++) {
            inVain += segment.candidates(Disk.local(), search(of("10.9." + n / 250 + "." + n % 250)))
                    .size();
        }
        assertThat(inVain).as("blocks of 128,000 that are read for nothing").isLessThan(30);
    }

    private static HistorySearch<LeaseRecord> search(LeaseQuery query) {
        List<String> probes = LeaseFormat.probes(query.subject().orElseThrow());
        return new HistorySearch<>(probes, query.from(), query.to(), query::matches, query.limit());
    }

    private static List<LeaseRecord> matching(HistorySegment<LeaseRecord> segment, String name) throws Exception {
        List<LeaseRecord> found = new ArrayList<>();
        for (int block : segment.candidates(Disk.local(), search(of(name)))) {
            segment.read(Disk.local(), block).stream().filter(of(name)::matches).forEach(found::add);
        }
        return found;
    }
}
