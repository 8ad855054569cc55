package io.enipam.store;

import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.intent;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.TestThreads;
import io.enipam.store.testing.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The power goes at a random operation while some threads commit, journal files fill and checkpoints are written. The disk is
 * then found in three ways: with nothing but what was forced, with all that was written, and with some of the rest.
 * {@code -Denipam.store.images=N} has N images made.
 */
class PowerLossTest {
    private static final Logger FIGURES = LoggerFactory.getLogger("figures");
    private static final int IMAGES = Integer.getInteger("enipam.store.images", 300);
    private static final int WAYS = 3;
    private static final int THREADS = 4;
    private static final int AT_ONCE = 3;
    private static final int SPAN = 10_000;
    /** A thread's leases of before these many of its commits are gone. */
    private static final int KEPT = 3;

    @TempDir
    Path temp;

    private final Random random = new Random(6);
    private final List<AtomicInteger> sent = counters();
    private final List<AtomicInteger> acknowledged = counters();
    private final List<String> wrong = new ArrayList<>();
    private final Set<String> moments = new TreeSet<>();
    private int images;
    private int untold;
    private volatile boolean enough;

    private static List<AtomicInteger> counters() {
        return IntStream.range(0, THREADS).mapToObj(i -> new AtomicInteger()).toList();
    }

    @Test
    void whateverWasAcknowledgedBeforeThePowerWentIsThereWhicheverSectorsAndNamesMadeIt() {
        SimulatedDisk disk = new SimulatedDisk(temp.resolve("live"), CrashPoint.never());
        disk.watch(operation -> loseSometimes(disk, operation));
        try (ResourceDb db = JournaledResourceDb.open(temp.resolve("live"), SMALL, disk)) {
            List<CompletableFuture<Void>> threads = IntStream.range(0, THREADS)
                    .mapToObj(thread -> CompletableFuture.runAsync(() -> live(db, thread), TestThreads.PER_TASK))
                    .toList();
            threads.forEach(CompletableFuture::join);
        }
        FIGURES.info(
                "power losses: {} images at {} kinds of operations, {} times a commit was there that nobody had been told of, {} wrong",
                images,
                moments.size(),
                untold,
                wrong.size());
        assertThat(wrong).isEmpty();
        assertThat(images).isGreaterThanOrEqualTo(IMAGES);
        assertThat(moments).contains("force checkpoint-.db.tmp", "rename journal-.log.tmp to journal-.log");
    }

    private void live(ResourceDb db, int thread) {
        for (int n = 0; !enough; n += AT_ONCE) {
            List<CompletableFuture<Void>> answers = new ArrayList<>();
            for (int i = n; i < n + AT_ONCE; i++) {
                int id = thread * SPAN + i;
                sent.get(thread).incrementAndGet();
                answers.add(db.commit(List.of(
                                put(id),
                                new Change.PutIntent(intent(id)),
                                new Change.RemoveLease(owner(id - KEPT)),
                                new Change.RemoveIntent("token-" + (id - KEPT))))
                        .toCompletableFuture());
            }
            for (CompletableFuture<Void> answer : answers) {
                answer.orTimeout(60, TimeUnit.SECONDS).join();
                acknowledged.get(thread).incrementAndGet();
            }
        }
    }

    /** Called before each operation, one at a time. */
    private void loseSometimes(SimulatedDisk disk, String operation) {
        String kind = operation.replaceAll("\\d+", "");
        if (enough || (!moments.add(kind) && random.nextInt(4) > 0)) {
            return;
        }
        List<Integer> least = acknowledged.stream().map(AtomicInteger::get).toList();
        List<SimulatedDisk> found = List.of(
                disk.afterPowerLoss(temp.resolve("forced-" + images), CrashPoint.never()),
                disk.afterLatePowerLoss(temp.resolve("all-" + images), CrashPoint.never()),
                disk.afterPowerLoss(random, temp.resolve("some-" + images), CrashPoint.never()));
        List<Integer> most = sent.stream().map(AtomicInteger::get).toList();
        for (SimulatedDisk image : found) {
            try {
                check(image, least, most);
            } catch (RuntimeException | AssertionError e) {
                wrong.add("before " + operation + ", " + image + ": " + e.getMessage());
            }
        }
        images += WAYS;
        enough = images >= IMAGES;
    }

    private void check(SimulatedDisk image, List<Integer> least, List<Integer> most) {
        Set<String> before;
        try (ResourceDb db = JournaledResourceDb.open(image.directory(), SMALL, image)) {
            before = all(db);
            for (int thread = 0; thread < THREADS; thread++) {
                checkThread(thread, before, least.get(thread), most.get(thread));
            }
            commit(db, put(9_999));
            before.add(owner(9_999).toString());
            image.fate().kill();
        }
        SimulatedDisk again = image.afterPowerLoss(temp.resolve(image.directory() + "-again"), CrashPoint.never());
        try (ResourceDb db = JournaledResourceDb.open(again.directory(), SMALL, again)) {
            assertThat(all(db)).isEqualTo(before);
            again.fate().kill();
        }
    }

    private static Set<String> all(ResourceDb db) {
        return db.records().stream().map(ResourceDb.RawRecord::key).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The thread's records are as after one of its commits, which is none before the last acknowledged one. */
    private void checkThread(int thread, Set<String> found, int least, int most) {
        Set<String> mine = found.stream()
                .filter(key ->
                        thread == Integer.parseInt(key.replaceAll("^(cbr0/sandbox-|token-)(\\d+).*$", "$2")) / SPAN)
                .collect(Collectors.toCollection(TreeSet::new));
        Optional<Integer> state = IntStream.rangeClosed(least, most)
                .boxed()
                .filter(commits -> mine.equals(after(thread, commits)))
                .findFirst();
        assertThat(state)
                .as("thread %s with %s acknowledged commits and %s sent has %s", thread, least, most, mine)
                .isPresent();
        untold += state.orElseThrow() > least ? 1 : 0;
    }

    private static Set<String> after(int thread, int commits) {
        Set<String> keys = new TreeSet<>();
        for (int i = Math.max(0, commits - KEPT); i < commits; i++) {
            keys.add(owner(thread * SPAN + i).toString());
            keys.add("token-" + (thread * SPAN + i));
        }
        return keys;
    }
}
