package io.enipam.store;

import io.enipam.store.StoreDirectory.JournalFile;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.SalvageResult.MissingCommits;
import io.enipam.store.SalvageResult.SalvagedRecord;
import io.enipam.store.Segment.SegmentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a damaged directory, and what is said of what is missing. */
class SalvageTest {
    private static final StoreOptions ONE_FILE = TestRecords.ROOMY;

    @TempDir
    Path temp;

    /** A killed process's directory: commit 1 is the database's own, commit n+1 puts lease n. */
    private Path killed(int leases) {
        Path live = temp.resolve("live");
        try (ResourceDb db = JournaledResourceDb.open(live, ONE_FILE)) {
            for (int i = 1; i <= leases; i++) {
                commit(db, put(i));
            }
            return Directories.copy(live, temp.resolve("killed"));
        }
    }

    private static SalvageResult read(Path directory) {
        try (DamagedStore store = DamagedStore.open(directory)) {
            return store.read();
        }
    }

    private static int offsetOf(Path journal, long generation) throws IOException {
        byte[] image = Files.readAllBytes(journal);
        int offset = SegmentHeader.BYTES;
        for (long g = 1; g < generation; g++) {
            offset += FrameHeader.read(image, offset).orElseThrow().size();
        }
        return offset;
    }

    private static List<String> owners(SalvageResult salvaged) {
        return salvaged.records().leases().stream()
                .map(found -> found.value().pod().name())
                .toList();
    }

    @Test
    void aDatabaseThatOpensIsSoundAndOneThatIsNotThereIsMissing() {
        assertThat(read(killed(3)).state()).isEqualTo(SalvageResult.State.SOUND);
        assertThat(read(temp.resolve("nowhere")).state()).isEqualTo(SalvageResult.State.MISSING);
    }

    @Test
    void onlyTheCommitThatWasHitIsMissingAndAllTheOthersAreFound() throws IOException {
        Path directory = killed(5);
        Path journal = Directories.last(directory, "journal-");
        int hit = offsetOf(journal, 4);
        int next = offsetOf(journal, 5);
        Directories.flip(journal, 8L * (hit + 50));

        SalvageResult salvaged = read(directory);

        assertThat(salvaged.trouble())
                .hasValueSatisfying(
                        why -> assertThat(why).contains(journal.toString(), "damaged at offset " + hit, "commit 4"));
        assertThat(owners(salvaged)).containsExactly("web-1", "web-2", "web-4", "web-5");
        assertThat(salvaged.commits().gaps()).containsExactly(new MissingCommits(4, 4));
        assertThat(salvaged.commits().last()).isEqualTo(6);
        assertThat(salvaged.files())
                .containsExactly(
                        "journal-0000000000000000000.log: damaged; 5 commits of 1 to 6 prove themselves",
                        "journal-0000000000000000000.log: nothing can be read from offset " + hit + " to " + next);
    }

    @Test
    void whereTheNewestJournalFileIsDamagedNothingIsCertain() throws IOException {
        Path directory = killed(5);
        Path journal = Directories.last(directory, "journal-");
        Directories.flip(journal, 8L * (offsetOf(journal, 4) + 50));

        SalvageResult salvaged = read(directory);

        assertThat(salvaged.commits().open()).isTrue();
        assertThat(salvaged.records().leases()).isNotEmpty().noneMatch(SalvagedRecord::certain);
    }

    @Test
    void aJournalWithoutItsHeaderStillHasItsCommits() throws IOException {
        Path directory = killed(3);
        Directories.flip(Directories.last(directory, "journal-"), 8 * 9);

        assertThat(owners(read(directory))).containsExactly("web-1", "web-2", "web-3");
    }

    @Test
    void aRemovalThatWasReadIsARemoval() throws IOException {
        Path live = temp.resolve("live");
        Path directory;
        try (ResourceDb db = JournaledResourceDb.open(live, ONE_FILE)) {
            commit(db, put(1));
            commit(db, put(2));
            commit(db, new Change.RemoveLease(TestRecords.owner(1)), new Change.PutHold(TestRecords.hold(1)));
            commit(db, put(3));
            commit(db, put(4));
            directory = Directories.copy(live, temp.resolve("killed"));
        }
        Path journal = Directories.last(directory, "journal-");
        Directories.flip(journal, 8L * (offsetOf(journal, 5) + 50));

        SalvageResult salvaged = read(directory);

        assertThat(owners(salvaged)).containsExactly("web-2", "web-4");
        assertThat(salvaged.records().holds()).extracting(SalvagedRecord::value).containsExactly(TestRecords.hold(1));
    }

    @Test
    void recordsOfABrokenCheckpointCountIfEachOfThemProvesItself() throws IOException {
        Path live = temp.resolve("live");
        try (ResourceDb db = JournaledResourceDb.open(live, ONE_FILE)) {
            for (int i = 0; i < 40; i++) {
                commit(db, put(i));
            }
        }
        Path checkpoint = Directories.last(live, "checkpoint-");
        Files.delete(Directories.last(live, "journal-"));
        byte[] bytes = Files.readAllBytes(checkpoint);
        int at = indexOf(bytes, "uid-17");
        bytes[at + 4] = '9'; // a record that reads well, and was never written
        Files.write(checkpoint, bytes);

        SalvageResult salvaged = read(live);

        assertThat(owners(salvaged)).hasSize(39).doesNotContain("web-17").contains("web-16", "web-18");
        assertThat(salvaged.records().leases()).noneMatch(SalvagedRecord::certain);
        assertThat(salvaged.files())
                .anyMatch(line -> line.contains("damaged; 40 records as of commit 41 prove themselves, 1 do not"));
        assertThat(salvaged.commits().open()).isTrue();
    }

    @Test
    void behindASoundCheckpointAndASoundNewestFileOnlyTheGapMakesRecordsDoubtful() throws IOException {
        Path directory = temp.resolve("db");
        StoreDirectory files = new StoreDirectory(directory);
        Files.createDirectories(directory);
        LocalDisk disk = new LocalDisk();
        try (Segment first = Segment.create(disk, files, new SegmentHeader(8 << 10, 0, 0, 0))) {
            append(first, 1, put(1));
            append(first, 2, put(2));
        }
        try (Segment second = Segment.create(disk, files, new SegmentHeader(8 << 10, 4, 0, 0))) {
            append(second, 5, put(5));
        }

        SalvageResult salvaged = read(directory);

        assertThat(salvaged.commits().gaps()).containsExactly(new MissingCommits(3, 4));
        assertThat(salvaged.commits().open()).isFalse();
        assertThat(salvaged.records().leases())
                .extracting(found -> found.value().pod().name() + " " + found.certain())
                .containsExactly("web-1 false", "web-2 false", "web-5 true");
    }

    private static void append(Segment segment, long generation, Change change) throws IOException {
        byte[] payload = Mutation.encode(new RecordCodec().encode(change));
        ByteBuffer frame = ByteBuffer.allocate(FrameHeader.size(payload.length));
        FrameHeader.of(payload, generation, generation - 1).write(payload, frame);
        segment.append(frame.flip());
    }

    @Test
    void aJournalFileOfAnotherDatabaseIsNotUsed() throws IOException {
        Path directory = temp.resolve("db");
        StoreDirectory files = new StoreDirectory(directory);
        Files.createDirectories(directory);
        LocalDisk disk = new LocalDisk();
        try (Segment own = Segment.create(disk, files, new SegmentHeader(8 << 10, 0, 0, 1000))) {
            append(own, 1, put(1));
        }
        try (Segment foreign = Segment.create(disk, files, new SegmentHeader(8 << 10, 1, 0, 2000))) {
            append(foreign, 2, put(2));
        }

        SalvageResult salvaged = read(directory);

        assertThat(owners(salvaged)).containsExactly("web-1");
        assertThat(salvaged.records().leases()).noneMatch(SalvagedRecord::certain);
        assertThat(salvaged.files()).anyMatch(line -> line.contains("of another database"));
    }

    @Test
    void commitsThatWereAcknowledgedAndAreWipedOutAreAGap() throws IOException {
        Path directory = killed(5);
        Path journal = Directories.last(directory, "journal-");
        byte[] bytes = Files.readAllBytes(journal);
        Arrays.fill(bytes, offsetOf(journal, 5), bytes.length, (byte) 0);
        Files.write(journal, bytes);

        SalvageResult salvaged = read(directory);

        assertThat(salvaged.state()).isEqualTo(SalvageResult.State.DAMAGED);
        assertThat(salvaged.commits().gaps()).containsExactly(new MissingCommits(5, 6));
        assertThat(owners(salvaged)).containsExactly("web-1", "web-2", "web-3");
        assertThat(salvaged.records().leases()).noneMatch(SalvagedRecord::certain);
    }

    @Test
    void aDatabaseOfANewerProgramIsNoDamage() throws IOException {
        Path directory = temp.resolve("db");
        Files.createDirectories(directory);
        try (Segment segment = Segment.create(new LocalDisk(), new StoreDirectory(directory), new SegmentHeader(8 << 10, 0, 0, 0))) {
            byte[] payload = "put\tflux\tkey\t{}\n".getBytes(UTF_8);
            ByteBuffer frame = ByteBuffer.allocate(FrameHeader.size(payload.length));
            FrameHeader.of(payload, 1, 0).write(payload, frame);
            segment.append(frame.flip());
        }

        assertThatThrownBy(() -> read(directory)).isInstanceOfSatisfying(StoreException.class, e -> {
            assertThat(e.reason()).isEqualTo(StoreException.Reason.NEWER);
            assertThat(e.hint()).contains("newer enipamd");
        });
    }

    private static int indexOf(byte[] bytes, String text) {
        byte[] wanted = text.getBytes(UTF_8);
        Optional<Integer> found = IntStream.range(0, bytes.length - wanted.length)
                .filter(i -> Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length))
                .boxed()
                .findFirst();
        return found.orElseThrow();
    }
}
