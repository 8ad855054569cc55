package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.v1.Lease;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon killed again and again, and what it promised before held against what the next one knows.
 *
 * <p>Eight callers add and delete pods on a real daemon whose cloud is a process of its own and lives on. Three rounds of
 * four wait until the daemon serves, compare, let the callers loose, and kill, at a random moment or on top of an
 * acknowledgement; the fourth kills at a random moment of the start itself, callers at the door. {@code -Denipam.kill.rounds=N} makes more rounds,
 * {@code -Denipam.kill.seed=N} repeats the dice of a run (not the scheduler's).
 */
class KillRestartIT {
    private static final int ROUNDS = Integer.getInteger("enipam.kill.rounds", 25);
    private static final long SEED = Long.getLong("enipam.kill.seed", System.nanoTime());
    private static final int CALLERS = 8;
    private static final int MOST_PODS = 5;
    private static final Duration COOL_DOWN = Duration.ofMillis(150);
    private static final Duration SHORTEST_LIFE = Duration.ofMillis(20);
    private static final Duration LONGEST_LIFE = Duration.ofMillis(700);
    private static final Duration CALLERS_END = Duration.ofSeconds(90);

    /** Kept when the test fails: database, log and configuration are what one wants to see then. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path scratch;

    private final AddressHistory story = new AddressHistory();
    private final AcknowledgedAddresses lent = new AcknowledgedAddresses(COOL_DOWN);
    private final List<SimulatedKubelet> kubelets = new ArrayList<>();
    private final List<Duration> starts = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    private final RandomGenerator random = new SplittableRandom(SEED);
    private final OneShotAction trap = new OneShotAction();

    @Test
    void whatWasAcknowledgedOutlivesEveryKill() throws Exception {
        ProgramRunner programs = new ProgramRunner(scratch);
        Path root = Files.createDirectory(scratch.resolve("root"));
        Path log = scratch.resolve("enipamd.log");
        int round = 0;
        try (CloudProcess cloud = CloudProcess.start(
                        programs,
                        scratch.resolve("cloud.log"),
                        "--latency",
                        "*=1ms..8ms,attaching=10ms..60ms,detaching=10ms..60ms,deleting=10ms..60ms");
                RestartableDaemon daemon = new RestartableDaemon(programs, root, log)) {
            configure(root, cloud);
            for (int i = 0; i < CALLERS; i++) {
                kubelets.add(new SimulatedKubelet(
                        "caller" + i, daemon, lent, story, new SplittableRandom(random.nextLong()), trap::fire));
            }
            for (round = 1; round <= ROUNDS; round++) {
                story.round(round);
                switch (round % 4) {
                    case 0 -> killAtStart(daemon);
                    case 2 -> killAtWork(daemon, cloud, true);
                    default -> killAtWork(daemon, cloud, false);
                }
            }
            endInPeace(daemon, cloud);
            report(cloud);
        } catch (InvariantViolation broken) {
            throw new AssertionError(
                    "round " + round + " of seed " + SEED + ": " + broken.getMessage() + "\n\n"
                            + story.of(broken.names()) + "\n\nall of it is in " + scratch,
                    broken);
        } finally {
            kubelets.forEach(SimulatedKubelet::close);
            threads.shutdownNow();
        }
    }

    private static void configure(Path root, CloudProcess cloud) throws Exception {
        Files.writeString(Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json"), CloudProcess.account());
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                cloud.daemonConfig() + "pool: {min_idle: 1, max_idle: 2, cool_down: " + COOL_DOWN.toMillis() + "ms}\n");
    }

    /** The kill meets recovery, or, now and then, the first calls after it. */
    private void killAtStart(RestartableDaemon daemon) throws Exception {
        Duration usual = starts.isEmpty() ? Duration.ofSeconds(1) : starts.get(starts.size() - 1);
        daemon.start();
        workUntilKilled(daemon, Duration.ofNanos(random.nextLong(usual.toNanos() * 5 / 4)), false);
    }

    /** @param byAnswer whether the kill comes with an acknowledgement: what was promised that moment has to be kept, too */
    private void killAtWork(RestartableDaemon daemon, CloudProcess cloud, boolean byAnswer) throws Exception {
        daemon.start();
        starts.add(daemon.awaitReady());
        story.tell("daemon", "serves");
        try (DaemonConnection shell = DaemonConnection.open(daemon.socket())) {
            compare(new DaemonStateAudit(shell, cloud));
        }
        workUntilKilled(
                daemon, Duration.ofNanos(random.nextLong(SHORTEST_LIFE.toNanos(), LONGEST_LIFE.toNanos())), byAnswer);
    }

    private void workUntilKilled(RestartableDaemon daemon, Duration life, boolean byAnswer) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Future<?>> shifts = new ArrayList<>();
        // ebb and flow, so that addresses and ENIs are made and go back in most rounds
        int most = 1 + random.nextInt(MOST_PODS);
        kubelets.forEach(kubelet -> shifts.add(threads.submit(() -> kubelet.work(most, stop))));
        TimeUnit.NANOSECONDS.sleep(life.toNanos());
        if (byAnswer) {
            trap.set(daemon::strike);
            trap.await(LONGEST_LIFE);
        }
        daemon.kill();
        story.tell("daemon", "was killed");
        stop.set(true);
        awaitAll(shifts);
    }

    /** All that was acknowledged, nothing else, nothing twice, and the cloud says the same. */
    private void compare(DaemonStateAudit books) {
        Map<String, Lease> leases = books.leases();
        Map<String, Lease> unexplained = new TreeMap<>(leases);
        for (SimulatedKubelet kubelet : kubelets) {
            for (SimulatedKubelet.Sandbox sandbox : kubelet.held()) {
                unexplained.remove(sandbox.container());
                has(leases, sandbox);
            }
            kubelet.doubt().ifPresent(doubt -> {
                Optional<String> found = Optional.ofNullable(
                                unexplained.remove(doubt.sandbox().container()))
                        .map(SimulatedKubelet::address);
                if (!doubt.add() && found.isPresent()) {
                    has(leases, doubt.sandbox());
                } else if (doubt.add() && !doubt.sandbox().address().isEmpty()) {
                    has(leases, doubt.sandbox());
                } else if (doubt.add()) {
                    found.ifPresent(kubelet::found);
                }
            });
        }
        unexplained.forEach((container, lease) -> {
            throw new InvariantViolation(
                    container + " has a lease of " + SimulatedKubelet.address(lease)
                            + ", and was released or never asked for it",
                    container,
                    SimulatedKubelet.address(lease));
        });
        Map<String, String> owners = new TreeMap<>();
        leases.forEach((container, lease) -> {
            String other = owners.put(SimulatedKubelet.address(lease), container);
            if (other != null) {
                throw new InvariantViolation(
                        SimulatedKubelet.address(lease) + " has two leases, of " + container + " and of " + other,
                        SimulatedKubelet.address(lease),
                        container,
                        other);
            }
        });
        if (!books.rows().equals(leases.keySet())) {
            throw new InvariantViolation(
                    "the database has rows of " + books.rows() + ", the engine leases of " + leases.keySet());
        }
        books.awaitAgreement();
    }

    private static void has(Map<String, Lease> leases, SimulatedKubelet.Sandbox sandbox) {
        Lease lease = leases.get(sandbox.container());
        if (lease == null || !SimulatedKubelet.address(lease).equals(sandbox.address())) {
            throw new InvariantViolation(
                    sandbox.container() + " was told that it has " + sandbox.address()
                            + ", and the restarted daemon has "
                            + (lease == null ? "no lease of it" : SimulatedKubelet.address(lease)),
                    sandbox.container(),
                    sandbox.address());
        }
    }

    /** A last life in which every open call succeeds and every pod goes. */
    private void endInPeace(RestartableDaemon daemon, CloudProcess cloud) throws Exception {
        daemon.start();
        starts.add(daemon.awaitReady());
        try (DaemonConnection shell = DaemonConnection.open(daemon.socket())) {
            DaemonStateAudit books = new DaemonStateAudit(shell, cloud);
            compare(books);
            forAll(SimulatedKubelet::settle);
            compare(books);
            forAll(SimulatedKubelet::clear);
            compare(books);
            assertThat(books.leases()).isEmpty();
        }
    }

    private void forAll(Consumer<SimulatedKubelet> action) throws Exception {
        List<Future<?>> done = new ArrayList<>();
        kubelets.forEach(kubelet -> done.add(threads.submit(() -> action.accept(kubelet))));
        awaitAll(done);
    }

    private void awaitAll(List<Future<?>> futures) throws Exception {
        long end = System.nanoTime() + CALLERS_END.toNanos();
        for (Future<?> future : futures) {
            try {
                future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof InvariantViolation broken) {
                    throw broken;
                }
                throw e;
            } catch (TimeoutException e) {
                throw new InvariantViolation("a caller has no answer after " + CALLERS_END.toSeconds() + " s");
            }
        }
    }

    private void report(CloudProcess cloud) {
        long acknowledged =
                kubelets.stream().mapToLong(SimulatedKubelet::acknowledged).sum();
        long doubts = kubelets.stream().mapToLong(SimulatedKubelet::doubts).sum();
        List<Duration> sorted = starts.stream().sorted().toList();
        System.out.printf(
                Locale.ROOT,
                "kill -9: %d rounds of seed %d: %d calls acknowledged, %d cut off; from exec to READY %d ms (median of %d);"
                        + " the cloud was asked %s%n",
                ROUNDS,
                SEED,
                acknowledged,
                doubts,
                sorted.get(sorted.size() / 2).toMillis(),
                sorted.size(),
                cloud.calls());
        assertThat(acknowledged).as("calls acknowledged").isGreaterThan(ROUNDS);
    }
}
