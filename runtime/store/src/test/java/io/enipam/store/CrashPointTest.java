package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.CrashPoint.Location;
import io.enipam.store.StoreScenario.Progress;
import io.enipam.store.testing.SimulatedDisk;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process dies at every operation of a life on the disk: before it, in the middle of it, after it. What it leaves opens
 * again with each acknowledged commit and no half of any other, whether the process was killed or the power went, and the life
 * goes on from there to the same end.
 */
class CrashPointTest {
    private static final Logger FIGURES = LoggerFactory.getLogger("figures");
    private static final int END = StoreScenario.COMMITS.size();

    @TempDir
    Path temp;

    private int lives;
    private int openings;

    /** What a process finds on its disk. */
    @FunctionalInterface
    private interface Remains {
        SimulatedDisk disk(Path directory, CrashPoint fate);
    }

    /** A life on what another one left. */
    private final class Life {
        final CrashPoint fate;
        final SimulatedDisk disk;
        final Progress progress;

        Life(Remains found, int from, int to, CrashPoint fate) throws InterruptedException {
            this.fate = fate;
            Path directory = temp.resolve("life-" + lives++);
            this.disk = found.disk(directory, fate);
            this.progress = StoreScenario.live(directory, disk, fate, from, to);
        }

        /** What the next process may find, by what became of this one. */
        Map<String, Remains> remains() {
            Map<String, Remains> remains = new LinkedHashMap<>();
            remains.put("killed", disk::afterKill);
            remains.put("without power", disk::afterPowerLoss);
            int seed = fate.describe().hashCode();
            remains.put(
                    "without power, with some sectors written",
                    (directory, next) -> disk.afterPowerLoss(new Random(seed), directory, next));
            return remains;
        }

        Map.Entry<String, Remains> oneOf(int number) {
            return List.copyOf(remains().entrySet()).get(number % 3);
        }
    }

    @Test
    void aDeathAtAnyOperationOnTheDiskLosesNoAcknowledgedCommitAndLeavesNoneByHalf() throws Exception {
        List<Location> points = new Life(SimulatedDisk::new, 0, END, CrashPoint.never()).fate.points();
        Set<String> deaths = new LinkedHashSet<>();
        for (Location point : points) {
            Life life = new Life(SimulatedDisk::new, 0, END, CrashPoint.crashAt(point));
            deaths.add(life.fate.describe());
            for (Map.Entry<String, Remains> found : life.remains().entrySet()) {
                String story = life.fate.describe() + ", " + found.getKey();
                allAcknowledgedIsThere(found.getValue(), life.progress, story);
            }
            // each way of being found has a third of the points to go on from: the longest part of it
            Map.Entry<String, Remains> found = life.oneOf(deaths.size());
            Life next = new Life(found.getValue(), life.progress.acknowledged(), END, CrashPoint.never());
            String story = life.fate.describe() + ", " + found.getKey() + ", and a whole life more";
            assertThat(next.progress.acknowledged()).as(story).isEqualTo(END);
            allAcknowledgedIsThere(next.disk::afterPowerLoss, next.progress, story);
        }
        FIGURES.info(
                "crash points of the store: {} points, {} different deaths, {} openings, none wrong",
                points.size(),
                deaths.size(),
                openings);
        assertThat(deaths)
                .anyMatch(death -> death.contains("MIDWAY write") && death.contains("checkpoint"))
                .anyMatch(death -> death.contains("AFTER rename journal"))
                .anyMatch(death -> death.contains("BEFORE force directory"))
                .anyMatch(death -> death.contains("AFTER delete journal"))
                .hasSizeGreaterThan(200);
    }

    @Test
    void aSecondDeathAtAnyOperationOfTheStartAfterTheFirstOneChangesNothingAboutThat() throws Exception {
        int deaths = 0;
        int kind = 0;
        for (Location point : oneOfEachKind(new Life(SimulatedDisk::new, 0, END, CrashPoint.never()).fate)) {
            Life first = new Life(SimulatedDisk::new, 0, END, CrashPoint.crashAt(point));
            int from = first.progress.acknowledged();
            int to = Math.min(END, Math.max(first.progress.sent(), from + 1));
            // a killed process leaves the most to get wrong: what it wrote is seen, and not safe
            Map.Entry<String, Remains> found = first.oneOf(kind++ % 4 < 3 ? 0 : kind);
            for (Location again : new Life(found.getValue(), from, to, CrashPoint.never()).fate.points()) {
                deaths++;
                Life second = new Life(found.getValue(), from, to, CrashPoint.crashAt(again));
                Progress both = second.progress.together(first.progress);
                String story = first.fate.describe() + ", " + found.getKey() + "; " + second.fate.describe();
                Map.Entry<String, Remains> left = second.oneOf(deaths % 2 == 0 ? 1 : deaths / 2);
                allAcknowledgedIsThere(left.getValue(), both, story + ", " + left.getKey());
            }
        }
        FIGURES.info("crash points of a store's restart: {} second deaths, {} openings, none wrong", deaths, openings);
        assertThat(deaths).isGreaterThan(200);
    }

    /** Of all operations that differ in nothing but numbers, the last. */
    private static Iterable<Location> oneOfEachKind(CrashPoint fate) {
        Map<String, Location> kinds = new LinkedHashMap<>();
        fate.describedPoints()
                .forEach((point, operation) ->
                        kinds.put(point.actor() + operation.replaceAll("\\d+", "") + point.moment(), point));
        return kinds.values();
    }

    private void allAcknowledgedIsThere(Remains found, Progress progress, String story) {
        openings++;
        CrashPoint fate = CrashPoint.never();
        Path directory = temp.resolve("found-" + openings);
        try (ResourceDb db = JournaledResourceDb.open(directory, StoreScenario.TINY, found.disk(directory, fate))) {
            assertThat(StoreScenario.STATES.subList(progress.acknowledged(), progress.sent() + 1))
                    .as(story)
                    .contains(StoreScenario.records(db));
            fate.kill();
        } catch (StoreException e) {
            throw new AssertionError(story + ": " + e.getMessage(), e);
        }
    }
}
