package io.enipam.store;

import static io.enipam.store.Samples.commit;
import static io.enipam.store.Samples.leases;
import static io.enipam.store.Samples.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.ResourceDb;
import io.enipam.store.journal.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bit flips and truncations of a journal: detected, or harmless, never silently wrong. */
class DamageTest {
    private static final int COMMITS = 20;
    private static final int FLIPS = 400;

    @TempDir
    Path directory;

    @Test
    void aFlippedBitIsDetectedOrTakesTheLastCommitAlone() throws IOException {
        byte[] whole = journal();
        SplittableRandom random = new SplittableRandom(1);
        for (int flip = 0; flip < FLIPS; flip++) {
            int at = random.nextInt(used(whole) + 40);
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            List<Integer> found = open(damaged);
            if (found != null) {
                // the last frame torn by a flip looks like one torn by a crash; everything before it must be there
                assertThat(found).as("bit flip at offset %d", at).hasSizeGreaterThanOrEqualTo(COMMITS - 1);
                assertThat(found)
                        .isEqualTo(IntStream.range(0, found.size()).boxed().toList());
            }
        }
    }

    @Test
    void aJournalShorterThanItWasMadeIsDetected() throws IOException {
        byte[] whole = journal();
        SplittableRandom random = new SplittableRandom(2);
        for (int cut = 0; cut < 100; cut++) {
            int length = random.nextInt(whole.length);
            assertThat(open(java.util.Arrays.copyOf(whole, length)))
                    .as("cut to %d bytes", length)
                    .isNull();
        }
    }

    @Test
    void aLastFrameTornByACrashIsWipedAndWritingGoesOn() throws IOException {
        byte[] whole = journal();
        int end = used(whole);
        for (int torn = 1; torn < 100; torn++) {
            byte[] crashed = whole.clone();
            java.util.Arrays.fill(crashed, end - torn, end, (byte) 0);
            write(crashed);
            try (ResourceDb db = JournaledResourceDb.open(directory)) {
                assertThat(leases(db)).as("%d bytes torn off", torn).hasSize(COMMITS - 1);
                commit(db, put(77)).join();
            }
            try (ResourceDb db = JournaledResourceDb.open(directory)) {
                assertThat(leases(db)).hasSize(COMMITS).contains(77);
            }
        }
    }

    /** A journal of {@value #COMMITS} frames, one lease each. */
    private byte[] journal() throws IOException {
        try (ResourceDb db = JournaledResourceDb.open(directory, new LocalDisk(), 20_000)) {
            for (int n = 0; n < COMMITS; n++) {
                commit(db, put(n)).join();
            }
        }
        return Files.readAllBytes(file());
    }

    private static int used(byte[] journal) {
        int end = journal.length;
        while (journal[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private @org.jspecify.annotations.Nullable List<Integer> open(byte[] journal) throws IOException {
        write(journal);
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            return leases(db);
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("damaged").hasMessageContaining("offset");
            return null;
        }
    }

    private void write(byte[] journal) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(f -> f.getFileName().toString().contains("checkpoint"))
                    .toList()) {
                Files.delete(file);
            }
        }
        Files.write(file(), journal);
    }

    private Path file() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(f -> f.getFileName().toString().startsWith("journal-"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
