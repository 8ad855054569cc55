package io.enipam.daemon.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.CrashPoint.Moment;
import io.enipam.engine.testing.CrashPoint.Location;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon dies at every operation of a day on disk, kernel and cloud. The next process knows every acknowledged ADD and none
 * that was ended, has no address twice, answers what the dead one left unanswered, and at last nothing is left over anywhere.
 */
class CrashPointTest {
    private static final Logger LOG = LoggerFactory.getLogger(CrashPointTest.class);
    /** Operations of a process until it serves and has answered what is repeated, or more. */
    private static final int START = 15;

    @TempDir
    Path temp;

    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final List<Future<?>> running = new ArrayList<>();
    private final AtomicInteger days = new AtomicInteger();
    private final Map<String, String> wrong = new ConcurrentSkipListMap<>();
    private final Map<String, Integer> deaths = new ConcurrentSkipListMap<>();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private void live(boolean late, CrashPoint... fates) {
        try {
            Day.live(temp.resolve("day-" + days.incrementAndGet()), late, fates);
        } catch (RuntimeException | AssertionError e) {
            wrong.put(story(late, fates), String.valueOf(e));
        }
        deaths.merge(story(late, fates), 1, Integer::sum);
    }

    private static String story(boolean late, CrashPoint... fates) {
        return Stream.of(fates).map(CrashPoint::describe).toList() + (late ? ", and the call arrived late" : "");
    }

    private void begin(boolean late, CrashPoint... fates) {
        running.add(threads.submit(() -> live(late, fates)));
    }

    private void awaitAll() throws Exception {
        for (Future<?> day : running) {
            day.get(10, TimeUnit.MINUTES);
        }
        running.clear();
    }

    private CrashPoint wholeDay() {
        CrashPoint whole = CrashPoint.never();
        live(false, whole);
        assertThat(wrong).as("a day without a death").isEmpty();
        return whole;
    }

    @Test
    void aNodeThatDiesAtAnyOperationKeepsItsWordAndLeaksNothing() throws Exception {
        CrashPoint whole = wholeDay();
        whole.points().forEach(point -> begin(false, CrashPoint.crashAt(point)));
        awaitAll();

        LOG.info("crash points of a node: {}, {} wrong", figures(whole), wrong.size());
        assertThat(wrong).isEmpty();
        assertThat(deaths.keySet())
                .anyMatch(death -> death.contains("MIDWAY write"))
                .anyMatch(death -> death.contains("AFTER rename checkpoint"))
                .anyMatch(death -> death.contains("BEFORE cloud: create"))
                .anyMatch(death -> death.contains("MIDWAY cloud: dispose"))
                .anyMatch(death -> death.contains("MIDWAY kernel: set up"))
                .anyMatch(death -> death.contains("AFTER kernel: tear down"));
    }

    @Test
    void aCallThatReachesTheCloudWhenTheNextProcessServesAlreadyLeaksNothing() throws Exception {
        CrashPoint whole = wholeDay();
        whole.describedPoints().forEach((point, operation) -> {
            if (operation.startsWith("cloud") && point.moment() == Moment.BEFORE) {
                begin(true, CrashPoint.crashAt(point));
            }
        });
        awaitAll();

        LOG.info("calls that outlive the daemon: {} of them, {} wrong", days.get() - 1, wrong.size());
        assertThat(wrong).isEmpty();
        assertThat(days).hasValueGreaterThan(5);
    }

    @Test
    void aNodeThatDiesOnceMoreAtAnyOperationOfTheStartKeepsItsWordAndLeaksNothing() throws Exception {
        for (Location first : oneOfEachKind(wholeDay())) {
            CrashPoint next = CrashPoint.never();
            live(false, CrashPoint.crashAt(first), next);
            next.points().stream()
                    .limit(START)
                    .forEach(again -> begin(false, CrashPoint.crashAt(first), CrashPoint.crashAt(again)));
        }
        awaitAll();

        LOG.info("crash points of a node's restart: {} pairs of deaths, {} wrong", deaths.size(), wrong.size());
        assertThat(wrong).isEmpty();
        assertThat(deaths).hasSizeGreaterThan(200);
    }

    private String figures(CrashPoint whole) {
        Map<String, Integer> kinds = new LinkedHashMap<>();
        whole.describedPoints()
                .forEach((point, operation) -> kinds.merge(
                        operation.startsWith("cloud")
                                ? "cloud"
                                : operation.startsWith("kernel") ? "kernel" : point.actor(),
                        1,
                        Integer::sum));
        return whole.points().size() + " points (" + kinds + "), " + deaths.size() + " different deaths";
    }

    /** Of all points that differ in numbers and names alone, the last. */
    private static Collection<Location> oneOfEachKind(CrashPoint fate) {
        Map<String, Location> kinds = new LinkedHashMap<>();
        fate.describedPoints()
                .forEach((point, operation) -> kinds.put(
                        point.actor() + operation.replaceAll("enipam/.*|day-.*|\\d+", "") + point.moment(), point));
        return kinds.values();
    }
}
