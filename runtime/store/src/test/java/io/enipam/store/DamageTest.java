package io.enipam.store;

import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.CrashPoint.Location;
import io.enipam.engine.testing.CrashPoint.Moment;
import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.StoreDirectory.JournalFile;
import io.enipam.store.StoreScenario.Progress;
import io.enipam.store.testing.SimulatedDisk;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that were changed after they were written: each change is refused with the name of a file and an offset, or of no
 * consequence at all. Nothing in between.
 */
class DamageTest {
    private static final Logger FIGURES = LoggerFactory.getLogger("figures");
    private static final int RANDOM_OFFSETS = Integer.getInteger("enipam.store.offsets", 300);
    private static final int SECTOR = 512;
    /** Of a size that leaves many commits in the files that are read. */
    private static final StoreOptions FILES = new StoreOptions(10 << 10, 64, TestRecords.CLOCK);
    /** Warns of each checkpoint that it finds damaged, which is what happens here all the time. */
    private static final java.util.logging.Logger MAPDB = java.util.logging.Logger.getLogger("org.mapdb");

    @TempDir
    Path temp;

    /** What a killed process left: some journal files, two checkpoints. */
    private Map<String, byte[]> files = Map.of();

    private Set<Object> expected = Set.of();

    /** The records that an opening may find; more than one where the change is also what a crash could have left. */
    private List<Set<Object>> acceptable = List.of();

    private int sent;
    private int openings;
    private int refused;
    private int harmless;
    private final List<String> wrong = new ArrayList<>();
    private final Random random = new Random(7);

    @BeforeAll
    static void silence() {
        MAPDB.setLevel(Level.OFF);
    }

    @AfterAll
    static void speech() {
        MAPDB.setLevel(null);
    }

    @BeforeEach
    void aKilledProcess() throws InterruptedException {
        CrashPoint life = CrashPoint.never();
        StoreScenario.liveUnhurried(temp.resolve("whole"), new SimulatedDisk(temp.resolve("whole"), life), life, FILES);
        List<Location> forces = new ArrayList<>();
        life.describedPoints().forEach((point, operation) -> {
            if (operation.matches("force journal-\\d+.log") && point.moment() == Moment.AFTER) {
                forces.add(point);
            }
        });
        CrashPoint fate = CrashPoint.crashAt(forces.get(forces.size() - 1));
        SimulatedDisk disk = new SimulatedDisk(temp.resolve("killed"), fate);
        Progress progress = StoreScenario.liveUnhurried(temp.resolve("killed"), disk, fate, FILES);
        files = disk.contents();
        expected = StoreScenario.STATES.get(progress.sent());
        acceptable = List.of(expected);
        sent = progress.sent();
        assertThat(files.keySet())
                .filteredOn(name -> name.startsWith("journal"))
                .hasSizeGreaterThan(1);
        assertThat(files.keySet())
                .filteredOn(name -> name.startsWith("checkpoint"))
                .hasSizeGreaterThan(1);
        open("nothing was changed", files);
        assertThat(harmless).isEqualTo(1);
    }

    @AfterEach
    void figures() {
        FIGURES.info(
                "damage: {} openings, {} refused by file and offset, {} harmless, {} wrong",
                openings,
                refused,
                harmless,
                wrong.size());
        assertThat(wrong).isEmpty();
    }

    private void open(String change, Map<String, byte[]> contents) {
        Path directory = temp.resolve("open-" + openings++);
        SimulatedDisk disk = SimulatedDisk.with(contents, directory, CrashPoint.never());
        try (ResourceDb db = JournaledResourceDb.open(directory, FILES, disk)) {
            if (!acceptable.contains(StoreScenario.records(db))) {
                wrong.add(change + ": opened with other records");
            } else if (openings % 10 == 1 && !goesOn(db, disk)) {
                wrong.add(change + ": went on with other records");
            } else {
                harmless++;
            }
            disk.fate().kill();
        } catch (StoreException e) {
            if (isNamed(contents, String.valueOf(e.getMessage())) && e.hint().contains("backup")) {
                refused++;
            } else {
                wrong.add(change + ": refused with " + e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            wrong.add(change + ": " + e);
        }
    }

    /** Whether a refusal names a file with the place of the damage, or one that was taken away. */
    private boolean isNamed(Map<String, byte[]> contents, String refusal) {
        return contents.keySet().stream().anyMatch(name -> refusal.contains(name + " is damaged at offset "))
                || files.keySet().stream()
                        .anyMatch(name -> !contents.containsKey(name) && refusal.contains(name + " is missing"));
    }

    /** Whether a further commit is there after all with the others. */
    private boolean goesOn(ResourceDb db, SimulatedDisk disk) {
        int before = StoreScenario.records(db).size();
        commit(db, put(9_999));
        Set<Object> more = StoreScenario.records(db);
        SimulatedDisk again = disk.afterPowerLoss(temp.resolve("again-" + openings), CrashPoint.never());
        try (ResourceDb next = JournaledResourceDb.open(again.directory(), FILES, again)) {
            again.fate().kill();
            return more.size() == before + 1 && StoreScenario.records(next).equals(more);
        }
    }

    private void change(String file, String what, UnaryOperator<byte[]> change) {
        Map<String, byte[]> changed = new TreeMap<>(files);
        changed.put(file, change.apply(files.get(file).clone()));
        open(file + ", " + what, changed);
    }

    private void flip(String file, int at) {
        int bit = random.nextInt(8);
        change(file, "bit " + bit + " of byte " + at + " flipped", bytes -> {
            bytes[at] ^= (byte) (1 << bit);
            return bytes;
        });
    }

    private List<String> named(String prefix) {
        return files.keySet().stream().filter(name -> name.startsWith(prefix)).toList();
    }

    /** Offsets of all frames of a journal file, and of the end. */
    private List<Integer> boundaries(String file) {
        byte[] image = files.get(file);
        List<Integer> boundaries = new ArrayList<>();
        int offset = SegmentHeader.BYTES;
        boundaries.add(offset);
        Optional<FrameHeader> frame = FrameHeader.read(image, offset);
        while (frame.isPresent()) {
            offset += frame.get().size();
            boundaries.add(offset);
            frame = FrameHeader.read(image, offset);
        }
        return boundaries;
    }

    @Test
    void aBitFlippedAtAFramesBoundaryOrAnywhereIsFoundOrOfNoConsequence() {
        for (String file : named("journal")) {
            for (int boundary : boundaries(file)) {
                for (int near : new int[] {-32, -1, 0, 4, 8, 12, 20, 28, 31, 32}) {
                    flip(file, Math.min(boundary + near, files.get(file).length - 1));
                }
            }
            for (int i = 0; i < RANDOM_OFFSETS / named("journal").size(); i++) {
                flip(file, random.nextInt(files.get(file).length));
            }
        }
        for (String file : named("checkpoint")) {
            for (int i = 0; i < RANDOM_OFFSETS / named("checkpoint").size(); i++) {
                // half of them where MapDB's headers and index are
                flip(file, random.nextInt(i % 2 == 0 ? 4096 : files.get(file).length));
            }
        }
        assertThat(refused).as("of the files that are read").isGreaterThan(100);
    }

    @Test
    void aFileCutShortAtAFramesBoundaryOrAnywhereIsFoundOrOfNoConsequence() {
        for (String file : files.keySet()) {
            List<Integer> lengths = new ArrayList<>(file.startsWith("journal") ? boundaries(file) : List.of(0));
            random.ints(60, 0, files.get(file).length).forEach(lengths::add);
            for (int length : lengths) {
                if (length < files.get(file).length) {
                    change(file, "cut to " + length + " bytes", bytes -> Arrays.copyOf(bytes, length));
                }
            }
            change(file, "with a page too many", bytes -> Arrays.copyOf(bytes, bytes.length + 4096));
        }
        assertThat(refused).isGreaterThan(30);
    }

    /**
     * That a group of commits is durable is said by the group behind it. What takes the last group away and touches nothing
     * before it looks as if the power had gone while it was written, and is taken for that.
     */
    @Test
    void aZeroedSectorOrPageIsFoundOrOfNoConsequenceButForTheLastGroupOfCommits() {
        String lastJournal = named("journal").get(named("journal").size() - 1);
        SegmentScan last = SegmentScan.of(
                Path.of(lastJournal), files.get(lastJournal), JournalFile.NONE, (generation, offset, payload) -> {});
        List<Integer> frames = boundaries(lastJournal);
        int inLastGroup = (int) (last.last() - last.header().base()) - frames.indexOf(last.lastGroup());
        for (String file : files.keySet()) {
            for (int size : new int[] {SECTOR, 8 * SECTOR}) {
                for (int from = 0; from < files.get(file).length; from += size) {
                    int begin = from;
                    int end = Math.min(from + size, files.get(file).length);
                    if (!Arrays.equals(files.get(file), begin, end, new byte[size], 0, end - begin)) {
                        acceptable = file.equals(lastJournal) && begin >= last.lastGroup()
                                ? StoreScenario.STATES.subList(sent - inLastGroup, sent + 1)
                                : List.of(expected);
                        change(file, "zeroed from " + begin + " to " + end, bytes -> {
                            Arrays.fill(bytes, begin, end, (byte) 0);
                            return bytes;
                        });
                    }
                }
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void aFrameThatIsThereTwiceOrInThePlaceOfAnotherOneIsFound() {
        for (String file : named("journal")) {
            List<Integer> at = boundaries(file);
            for (int i = 0; i + 1 < at.size(); i++) {
                for (int j = 0; j < at.size(); j++) {
                    int from = at.get(i);
                    int size = at.get(i + 1) - from;
                    int to = at.get(j);
                    if (i != j && to + size <= files.get(file).length) {
                        change(file, "frame " + i + " written over frame " + j, bytes -> {
                            System.arraycopy(bytes, from, bytes, to, size);
                            return bytes;
                        });
                    }
                }
            }
        }
        assertThat(refused).as("of the files that are read").isGreaterThan(10);
    }

    @Test
    void filesThatChangedPlacesAreFound() {
        for (String one : files.keySet()) {
            for (String other : files.keySet()) {
                if (!one.equals(other)) {
                    Map<String, byte[]> swapped = new LinkedHashMap<>(files);
                    swapped.put(one, files.get(other));
                    open(other + " in the place of " + one, swapped);
                    swapped.put(other, files.get(one));
                    open(one + " and " + other + " swapped", swapped);
                }
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void aFileThatIsMissingIsFoundOrOfNoConsequence() {
        for (String file : files.keySet()) {
            Map<String, byte[]> fewer = new TreeMap<>(files);
            fewer.remove(file);
            open("without " + file, fewer);
        }
    }

    @Test
    void filesOfFormerTimesBesideThePresentOnesAreFoundOrOfNoConsequence() throws InterruptedException {
        Map<String, byte[]> former = new TreeMap<>();
        CrashPoint fate = CrashPoint.never();
        SimulatedDisk disk = new SimulatedDisk(temp.resolve("former"), fate);
        disk.watch(operation -> disk.contents().forEach(former::putIfAbsent));
        StoreScenario.liveUnhurried(temp.resolve("former"), disk, fate, FILES);
        former.keySet().removeIf(name -> files.containsKey(name) || name.endsWith(".tmp"));
        assertThat(former).isNotEmpty();
        former.forEach((name, bytes) -> {
            Map<String, byte[]> more = new TreeMap<>(files);
            more.put(name, bytes);
            open(name + " of former times put back", more);
        });
    }

    /** Another node of the same fleet, which had as many commits of the same lengths, some days later. */
    @Test
    void aFileOfAnotherDatabaseIsFoundThoughItFollowsOnTheRightCommit() throws InterruptedException {
        CrashPoint fate = CrashPoint.never();
        SimulatedDisk disk = new SimulatedDisk(temp.resolve("other"), fate);
        StoreOptions later = new StoreOptions(
                FILES.journalBytes(), FILES.queuedCommits(), Clock.offset(TestRecords.CLOCK, Duration.ofDays(3)));
        StoreScenario.liveUnhurried(temp.resolve("other"), disk, fate, later);
        String last = named("journal").get(named("journal").size() - 1);
        Map<String, byte[]> mixed = new TreeMap<>(files);
        mixed.put(last, journalOf(disk, last));
        assertThatThrownBy(() -> JournaledResourceDb.open(
                        temp.resolve("mixed"),
                        FILES,
                        SimulatedDisk.with(mixed, temp.resolve("mixed"), CrashPoint.never())))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(last + " is damaged at offset 0: the journal file belongs to a database that was"
                        + " made at 2026-11-24T12:00:00.000000001Z, this one was made at"
                        + " 2026-11-21T12:00:00.000000001Z");
    }

    private static byte[] journalOf(SimulatedDisk disk, String name) {
        return Optional.ofNullable(disk.contents().get(name)).orElseThrow();
    }
}
