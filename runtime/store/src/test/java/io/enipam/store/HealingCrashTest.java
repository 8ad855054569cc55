package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.CrashPoint.Location;
import io.enipam.store.testing.SimulatedDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operation on the disk fails, the journal heals, and the process dies at any operation from there on. A commit that was
 * acknowledged is there; one that was reported as failed may be there until a later one was acknowledged, and never after it.
 */
class HealingCrashTest {
    private static final Logger FIGURES = LoggerFactory.getLogger("figures");
    private static final List<List<Change>> COMMITS = StoreScenario.COMMITS.subList(0, 12);
    /** Operations after the one that failed: what heals, two commits and the next journal file. */
    private static final int AFTERWARDS = 9;

    @TempDir
    Path temp;

    private int lives;

    /** A life in which a commit that failed is given up, but a later one is tried until it works. */
    private final class Life {
        final CrashPoint fate;
        final SimulatedDisk disk;
        private final List<List<Change>> accepted = new ArrayList<>();
        /** What the next process may find. */
        final Set<Set<Object>> possible = new HashSet<>();

        Life(CrashPoint fate) throws InterruptedException {
            this.fate = fate;
            Path directory = temp.resolve("life-" + lives++);
            this.disk = new SimulatedDisk(directory, fate);
            possible.add(Set.of());
            while (!opened(directory) && !fate.hasCrashed()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }

        private boolean opened(Path directory) throws InterruptedException {
            try (ResourceDb db = JournaledResourceDb.open(directory, StoreScenario.TINY, disk)) {
                for (int i = 0; i < COMMITS.size(); i++) {
                    boolean done = accepted(db, COMMITS.get(i));
                    if (!done && !fate.hasCrashed() && i + 1 < COMMITS.size()) {
                        List<Change> next = COMMITS.get(++i);
                        while (!done && !fate.hasCrashed()) {
                            TimeUnit.MILLISECONDS.sleep(2);
                            done = accepted(db, next);
                        }
                    }
                }
                return true;
            } catch (StoreException e) {
                return false;
            }
        }

        private boolean accepted(ResourceDb db, List<Change> commit) {
            List<List<Change>> more = new ArrayList<>(accepted);
            more.add(commit);
            possible.add(after(more));
            try {
                db.commit(commit)
                        .toCompletableFuture()
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join();
            } catch (CompletionException e) {
                return false;
            }
            accepted.add(commit);
            possible.clear();
            possible.add(after(accepted));
            return true;
        }
    }

    private static Set<Object> after(List<List<Change>> commits) {
        VirtualTime time = new VirtualTime();
        MemoryDb model = new MemoryDb(time, () -> Duration.ZERO);
        for (List<Change> commit : commits) {
            model.commit(commit);
            time.settle();
        }
        return StoreScenario.records(model);
    }

    @Test
    void aDeathAtAnyOperationAfterOneThatFailedLosesNothingAndBringsNothingBack() throws Exception {
        int deaths = 0;
        int openings = 0;
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<Location, String> failing :
                oneOfEachKind(new Life(CrashPoint.never()).fate).entrySet()) {
            Life whole = new Life(CrashPoint.never().withFailureAt(failing.getKey()));
            List<Location> after = whole.fate.points().stream()
                    .filter(point -> point.actor().equals("node"))
                    .filter(point -> point.number() > failing.getKey().number()
                            && point.number() <= failing.getKey().number() + AFTERWARDS)
                    .toList();
            for (Location point : after) {
                Life life = new Life(CrashPoint.crashAt(point).withFailureAt(failing.getKey()));
                deaths++;
                for (SimulatedDisk found : found(life)) {
                    openings++;
                    String story = "failed " + failing.getKey().moment() + " " + failing.getValue() + ", "
                            + life.fate.describe() + ", " + found;
                    try (ResourceDb db = JournaledResourceDb.open(found.directory(), StoreScenario.TINY, found)) {
                        if (!life.possible.contains(StoreScenario.records(db))) {
                            wrong.add(story);
                        }
                        found.fate().kill();
                    } catch (StoreException e) {
                        wrong.add(story + ": " + e.getMessage());
                    }
                }
            }
        }
        FIGURES.info(
                "crash points of healing: {} deaths after an operation that failed, {} openings, {} wrong",
                deaths,
                openings,
                wrong.size());
        assertThat(wrong).isEmpty();
        assertThat(deaths).isGreaterThan(200);
    }

    private List<SimulatedDisk> found(Life life) {
        int seed = life.fate.describe().hashCode();
        return List.of(
                life.disk.afterKill(temp.resolve("killed-" + lives), CrashPoint.never()),
                life.disk.afterPowerLoss(temp.resolve("without-power-" + lives), CrashPoint.never()),
                life.disk.afterPowerLoss(new Random(seed), temp.resolve("some-sectors-" + lives), CrashPoint.never()));
    }

    /** Of all operations of the node's own that differ in nothing but numbers, the last. */
    private static Map<Location, String> oneOfEachKind(CrashPoint fate) {
        Map<String, Location> kinds = new LinkedHashMap<>();
        fate.describedPoints().forEach((point, operation) -> {
            if (point.actor().equals("node")) {
                kinds.put(operation.replaceAll("\\d+", "") + point.moment(), point);
            }
        });
        Map<Location, String> failing = new LinkedHashMap<>();
        kinds.values()
                .forEach(point -> failing.put(point, fate.describedPoints().getOrDefault(point, "")));
        return failing;
    }
}
