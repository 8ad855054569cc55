package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.store.SalvageResult.SalvagedRecord;
import io.enipam.store.StoreDirectory.JournalFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random histories and random damage: what is salvaged was written, and what is called certain is what was there last. */
class SalvagePropertyTest {
    private static final int HISTORIES = 4;
    private static final int DAMAGES = 60;
    private static final int KEYS = 25;

    @TempDir
    Path temp;

    private final Set<Object> everWritten = new HashSet<>();
    private Set<Object> atLast = Set.of();
    private int writes;

    @Test
    void nothingIsInventedAndNothingUnprovenIsCertain() throws IOException {
        int damaged = 0;
        int certain = 0;
        int partial = 0;
        for (int seed = 1; seed <= HISTORIES; seed++) {
            Random random = new Random(seed);
            Path killed = history(seed, random);
            for (int i = 0; i < DAMAGES; i++) {
                Path copy = Directories.copy(killed, temp.resolve("copy-" + seed + "-" + i));
                List<String> done = new ArrayList<>();
                for (int n = 1 + random.nextInt(3); n > 0; n--) {
                    done.add(damage(copy, random));
                }
                List<byte[]> before = bytes(copy);
                SalvageResult salvaged;
                try (DamagedStore store = DamagedStore.open(copy)) {
                    salvaged = store.read();
                }
                String story = "seed " + seed + ", damage " + done + ", read " + salvaged.files();
                assertThat(bytes(copy))
                        .as(story)
                        .usingElementComparator(Arrays::compare)
                        .isEqualTo(before);
                if (salvaged.state() != SalvageResult.State.DAMAGED) {
                    continue;
                }
                damaged++;
                List<SalvagedRecord<?>> found = all(salvaged).toList();
                assertThat(found.stream().<Object>map(SalvagedRecord::value))
                        .as(story)
                        .isSubsetOf(everWritten);
                List<Object> sure = found.stream()
                        .filter(SalvagedRecord::certain)
                        .<Object>map(SalvagedRecord::value)
                        .toList();
                assertThat(sure).as(story).isSubsetOf(atLast);
                certain += sure.isEmpty() ? 0 : 1;
                partial += found.size() > sure.size() ? 1 : 0;
                if (salvaged.whole()) {
                    assertThat(new HashSet<>(sure)).as(story).isEqualTo(atLast);
                }
            }
        }
        assertThat(damaged).as("damaged ones").isGreaterThan(HISTORIES * DAMAGES / 3);
        assertThat(certain).as("those with records that are certain").isGreaterThan(5);
        assertThat(partial).as("those with records that may be stale").isGreaterThan(20);
    }

    private static Stream<SalvagedRecord<?>> all(SalvageResult salvaged) {
        return Stream.<List<? extends SalvagedRecord<?>>>of(
                        salvaged.records().leases(),
                        salvaged.records().holds(),
                        salvaged.records().intents())
                .flatMap(List::stream);
    }

    /** A killed process's directory with several journal files and two checkpoints. */
    private Path history(int seed, Random random) {
        everWritten.clear();
        Path live = temp.resolve("live-" + seed);
        try (ResourceDb db = JournaledResourceDb.open(live, TestRecords.SMALL)) {
            for (int i = 0; i < 150; i++) {
                List<Change> changes = new ArrayList<>();
                for (int n = 1 + random.nextInt(3); n > 0; n--) {
                    changes.add(change(random.nextInt(KEYS), random.nextInt(6)));
                }
                TestRecords.commit(db, changes.toArray(Change[]::new));
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> Directories.files(live, "checkpoint-").size() >= 2
                            && new StoreDirectory(live)
                                            .list(new LocalDisk())
                                            .newestCheckpoint()
                                            .orElseThrow()
                                    >= new StoreDirectory(live)
                                            .list(new LocalDisk()).journal().stream()
                                                    .map(JournalFile::base)
                                                    .reduce(0L, Math::max));
            for (int i = 0; i < 5; i++) { // what only the newest journal file has
                TestRecords.commit(db, change(random.nextInt(KEYS), random.nextInt(6)));
            }
            ResourceDb.Contents contents = db.contents();
            atLast = new HashSet<>();
            atLast.addAll(contents.leases());
            atLast.addAll(contents.holds());
            atLast.addAll(contents.intents());
            return Directories.copy(live, temp.resolve("killed-" + seed));
        }
    }

    private Change change(int n, int kind) {
        writes++;
        Change change = switch (kind) {
            case 0, 1 -> {
                Lease lease = TestRecords.lease(n);
                yield new Change.PutLease(new Lease(
                        lease.owner(), lease.pod(), "uid-" + writes, lease.resource(), lease.stick(), lease.since()));
            }
            case 2 -> new Change.RemoveLease(TestRecords.owner(n));
            case 3 -> {
                Hold hold = TestRecords.hold(n);
                yield new Change.PutHold(new Hold(
                        hold.resource(),
                        hold.purpose(),
                        hold.pod(),
                        hold.until().plusSeconds(writes),
                        Duration.ZERO));
            }
            case 4 -> new Change.RemoveHold(ResourceKey.of(TestRecords.resource(n)));
            default ->
                new Change.PutIntent(
                        new Intent("token-" + n, Intent.Action.DISPOSE, TestRecords.NOON.plusSeconds(writes), ""));
        };
        if (change instanceof Change.PutLease put) {
            everWritten.add(put.lease());
        } else if (change instanceof Change.PutHold put) {
            everWritten.add(put.hold());
        } else if (change instanceof Change.PutIntent put) {
            everWritten.add(put.intent());
        }
        return change;
    }

    /** One piece of damage that somebody could see; a file that ends early in zeroes is as good as new to everybody. */
    private static String damage(Path directory, Random random) throws IOException {
        List<Path> files = Stream.of("journal-", "checkpoint-")
                .flatMap(prefix -> Directories.files(directory, prefix).stream())
                .toList();
        if (files.isEmpty()) {
            return "nothing left to damage";
        }
        Path file = files.get(random.nextInt(files.size()));
        byte[] bytes = Files.readAllBytes(file);
        int used = used(bytes);
        String what;
        switch (random.nextInt(10)) {
            case 0 -> {
                Files.delete(file);
                return "deleted " + file.getFileName();
            }
            case 1, 2 -> {
                int length = random.nextInt(bytes.length);
                Files.write(file, Arrays.copyOf(bytes, length));
                return "cut " + file.getFileName() + " to " + length;
            }
            case 3, 4 -> {
                int pages = Math.max(1, (used - 1) / 1024);
                int from = random.nextInt(pages) * 1024;
                int to = Math.min(from + 1024, Math.max(from, used - 2048));
                Arrays.fill(bytes, from, to, (byte) 0);
                what = "zeroed " + from + " to " + to + " of ";
            }
            default -> {
                int at = random.nextInt(Math.max(1, used));
                if (at < bytes.length) {
                    bytes[at] ^= (byte) (1 << random.nextInt(8));
                }
                what = "flipped a bit of byte " + at + " of ";
            }
        }
        Files.write(file, bytes);
        return what + file.getFileName();
    }

    private static int used(byte[] bytes) {
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private static List<byte[]> bytes(Path directory) throws IOException {
        List<byte[]> all = new ArrayList<>();
        for (Path file : Directories.files(directory, "")) {
            all.add(Files.readAllBytes(file));
        }
        return all;
    }
}
