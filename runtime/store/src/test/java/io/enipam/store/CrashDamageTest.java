package io.enipam.store;

import static io.enipam.store.TestRecords.ROOMY;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.Segment.SegmentHeader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journals of a killed process that were torn, cut or changed afterwards: found, or without consequence. */
class CrashDamageTest {
    private static final int COMMITS = 40;
    private static final StoreOptions TINY = new StoreOptions(48 << 10, 64, TestRecords.CLOCK);

    @TempDir
    Path temp;

    private Path killed;
    private Path journal;
    private byte[] image;
    private final List<Integer> ends = new ArrayList<>();
    private final List<List<ResourceDb.RawRecord>> states = new ArrayList<>();
    private int copies;

    @BeforeEach
    void aKilledProcess() throws IOException {
        Path live = temp.resolve("live");
        try (ResourceDb db = JournaledResourceDb.open(live, TINY)) {
            states.add(List.of());
            for (int i = 0; i < COMMITS; i++) {
                commit(db, put(i), new Change.RemoveLease(TestRecords.owner(i - 3)));
                states.add(db.records());
            }
            killed = Directories.copy(live, temp.resolve("killed"));
            // these tests tear what had been acknowledged, which the mark alone would know
            Files.delete(new StoreDirectory(killed).highMark());
        }
        journal = Directories.last(killed, "journal-");
        image = Files.readAllBytes(journal);
        int offset = SegmentHeader.BYTES;
        Optional<FrameHeader> frame = FrameHeader.read(image, offset);
        while (frame.isPresent()) {
            offset += frame.get().size();
            ends.add(offset);
            frame = FrameHeader.read(image, offset);
        }
        assertThat(ends).hasSize(COMMITS + 1);
    }

    /** Opens a copy with other bytes in the journal; the records, or nothing if it was refused. */
    private Optional<List<ResourceDb.RawRecord>> openWith(byte[] bytes) throws IOException {
        Path copy = Directories.copy(killed, temp.resolve("copy" + copies++));
        Files.write(copy.resolve(journal.getFileName()), bytes);
        try (ResourceDb db = JournaledResourceDb.open(copy, TINY)) {
            List<ResourceDb.RawRecord> records = db.records();
            commit(db, put(9999));
            return Optional.of(records);
        } catch (StoreException e) {
            assertThat(e.getMessage())
                    .contains("is damaged at offset")
                    .contains(journal.getFileName().toString());
            assertThat(e.hint()).contains("enipamd --recover", "backup");
            assertThat(e.reason()).isEqualTo(StoreException.Reason.DAMAGED);
            return Optional.empty();
        }
    }

    private byte[] zeroedFrom(int offset) {
        byte[] bytes = image.clone();
        Arrays.fill(bytes, offset, bytes.length, (byte) 0);
        return bytes;
    }

    @Test
    void aFrameTornAtAnyByteIsDroppedAndAllBeforeItIsKept() throws IOException {
        Random random = new Random(1);
        for (int commit = 1; commit <= COMMITS; commit += 3) {
            int start = ends.get(commit - 1);
            int length = FrameHeader.read(image, start).orElseThrow().length();
            for (int cut : new int[] {0, 1, 28, 32, 33, 1 + random.nextInt(31 + length), 31 + length}) {
                assertThat(openWith(zeroedFrom(start + cut)))
                        .as("commit %s cut after %s bytes", commit, cut)
                        .contains(states.get(commit - 1));
            }
        }
    }

    @Test
    void whatATornFrameLeftIsErasedAndTheDatabaseGoesOn() throws IOException {
        Path copy = Directories.copy(killed, temp.resolve("torn"));
        Files.write(copy.resolve(journal.getFileName()), zeroedFrom(ends.get(20) + 100));
        try (ResourceDb db = JournaledResourceDb.open(copy, TINY)) {
            assertThat(db.records()).isEqualTo(states.get(20));
            commit(db, put(1000));
            Path again = Directories.copy(copy, temp.resolve("again"));
            try (ResourceDb after = JournaledResourceDb.open(again, TINY)) {
                assertThat(after.records()).isEqualTo(db.records());
            }
        }
    }

    @Test
    void aZeroedFrameBeforeALaterCommitIsRefusedWithFileAndOffset() throws IOException {
        byte[] bytes = image.clone();
        Arrays.fill(bytes, ends.get(9), ends.get(10), (byte) 0);
        Files.write(journal, bytes);
        assertThatThrownBy(() -> JournaledResourceDb.open(killed, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessage(
                        journal + " is damaged at offset " + ends.get(9) + ": commit 11 is missing, but commit 12 at"
                                + " offset " + ends.get(10) + " was written after it");
    }

    /** The journal with a group of three more frames, of which the first one is torn. */
    private byte[] withTornGroup() {
        ByteBuffer group = ByteBuffer.allocate(4096);
        long durable = COMMITS + 1;
        for (int i = 1; i <= 3; i++) {
            byte[] payload = Mutation.encode(new RecordCodec().encode(put(100 + i)));
            FrameHeader.of(payload, durable + i, durable).write(payload, group);
        }
        byte[] bytes = image.clone();
        int end = ends.get(COMMITS);
        System.arraycopy(group.array(), 0, bytes, end, group.position());
        int sector = (end / 512 + 1) * 512;
        int length = FrameHeader.read(bytes, end).orElseThrow().size();
        assertThat(sector).as("the frame reaches into a second sector").isLessThan(end + length);
        Arrays.fill(bytes, sector, end + length, (byte) 0);
        return bytes;
    }

    @Test
    void framesOfOneGroupThatReachedTheDiskOutOfOrderAreDroppedTogether() throws IOException {
        assertThat(openWith(withTornGroup())).contains(states.get(COMMITS));
    }

    @Test
    void framesOfADroppedGroupDoNotComeBackBehindANewCommit() throws IOException {
        Path copy = Directories.copy(killed, temp.resolve("torn"));
        Files.write(copy.resolve(journal.getFileName()), withTornGroup());
        try (ResourceDb db = JournaledResourceDb.open(copy, TINY)) {
            commit(db, put(104)); // as long as the torn one: the dropped frames would follow on it
            assertThat(db.records()).hasSize(states.get(COMMITS).size() + 1);
            Path again = Directories.copy(copy, temp.resolve("again"));
            try (ResourceDb after = JournaledResourceDb.open(again, TINY)) {
                assertThat(after.records()).isEqualTo(db.records());
            }
        }
    }

    @Test
    void aMissingCommitIsAGap() throws IOException {
        byte[] bytes = zeroedFrom(ends.get(9));
        int rest = ends.get(COMMITS) - ends.get(10);
        System.arraycopy(image, ends.get(10), bytes, ends.get(9), rest);
        Files.write(journal, bytes);
        assertThatThrownBy(() -> JournaledResourceDb.open(killed, ROOMY))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("commit 12 follows on commit 10, the ones between are missing");
    }

    @Test
    void aRefusedDirectoryIsLeftAsItWas() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(journal.toFile(), "rw")) {
            file.setLength(image.length - 1);
        }
        List<Path> before = Directories.files(killed, "");
        assertThatThrownBy(() -> JournaledResourceDb.open(killed, ROOMY)).isInstanceOf(StoreException.class);
        assertThat(Directories.files(killed, "")).isEqualTo(before);
        assertThat(Files.size(journal)).isEqualTo(image.length - 1);
    }
}
