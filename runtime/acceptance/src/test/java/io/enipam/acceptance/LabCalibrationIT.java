package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import io.enipam.config.ConfigFile;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.lab.replay.CloudProfile;
import io.enipam.lab.replay.PolicyCatalog;
import io.enipam.lab.replay.PolicyChoice;
import io.enipam.lab.replay.Replay;
import io.enipam.lab.replay.ReplayResult;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceGenerator;
import io.enipam.lab.trace.TraceGenerator.Pattern;
import io.enipam.lab.trace.TraceGenerator.Wishes;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.ShellException;
import io.enipam.v1.CloudCallCount;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.Pool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * How close a replay of the lab is to a node: the same trace is played against {@code enipamd} on an emulated cloud with the latencies
 * of the real one, in the time of this machine, and replayed. The daemon's ADDs cross its socket and are on its disk before they are
 * answered, which those of the lab are not.
 *
 * <p>{@code -Denipam.calibration.minutes=10} plays three loads of ten minutes side by side and prints the table of the lab's README.
 */
class LabCalibrationIT {
    private static final int MINUTES = Integer.getInteger("enipam.calibration.minutes", 0);
    private static final long SEED = 1;
    /** Of the lab. */
    private static final int SEEDS = MINUTES == 0 ? 3 : 10;

    private static final Duration CALL = Duration.ofSeconds(130);
    private static final Duration ADD_TIMEOUT = Duration.ofSeconds(110);
    private static final Duration RETRY = Duration.ofSeconds(10);
    /** As a replay does before its trace begins. */
    private static final Duration WARM_UP = Duration.ofMinutes(2);

    /** Kept when the test fails: the daemon's log says why. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path scratch;

    /** A trace, and the pool's watermarks. */
    private record Load(String name, Trace trace, int minIdle, int maxIdle) {
        static Load of(Pattern pattern, int pods, int running, int minIdle, int maxIdle) {
            Wishes wishes = new Wishes(pattern, pods, Duration.ofMinutes(MINUTES), running, SEED);
            String name = String.format(
                    Locale.ROOT,
                    "%s, %d pods, %d running, watermarks %d and %d",
                    pattern.text(),
                    pods,
                    running,
                    minIdle,
                    maxIdle);
            return new Load(name, TraceGenerator.make(wishes), minIdle, maxIdle);
        }

        /** Two bursts on an empty node of 15 addresses an ENI, 30 s in all: the second ENI is full after 24 s, or later on a busy machine. */
        static Load small() {
            List<Sandbox> sandboxes = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                Duration at = Duration.ofMillis((i < 12 ? 500 : 15_000) + 100L * i);
                sandboxes.add(new Sandbox(at, "default/p" + i, Optional.of(Duration.ofSeconds(2 + i % 5)), "Job"));
            }
            return new Load("two bursts", new Trace("", Duration.ofSeconds(30), sandboxes), 0, 3);
        }

        String configuration() {
            return "emulator: {latency: real, seed: " + SEED + "}\npool: {min_idle: " + minIdle + ", max_idle: "
                    + maxIdle + ", cool_down: 30s}\n";
        }
    }

    /** What came of a load on a node, and in the lab with each seed: the node's latencies are one draw of many. */
    private record Comparison(Load load, ReplayResult node, List<ReplayResult> labs) {
        double lab(ToDoubleFunction<ReplayResult> figure) {
            return labs.stream().mapToDouble(figure).average().orElseThrow();
        }
    }

    @Test
    void aReplayHasTheWaitsCallsAndEnisOfANode() throws Exception {
        List<Load> loads = MINUTES == 0
                ? List.of(Load.small())
                : List.of(
                        Load.of(Pattern.CRON, 20 * MINUTES, 6, 0, 2),
                        Load.of(Pattern.DEPLOY, 20 * MINUTES, 15, 0, 2),
                        Load.of(Pattern.BATCH, 20 * MINUTES, 6, 2, 5));
        List<Comparison> compared = sideBySide(loads);

        compared.forEach(comparison -> System.out.println(table(comparison)));
        assertThat(compared).allSatisfy(comparison -> {
            ReplayResult node = comparison.node();
            assertThat(node.waits().served()).as("pods that got an address").isPositive();
            // a busy machine makes a node slower, and then calls come together that came apart
            assertThat(comparison.lab(lab -> lab.waits().meanMillis()))
                    .as("the mean wait, that of the node is " + node.waits().meanMillis())
                    .isLessThan(1.5 * node.waits().meanMillis());
            assertThat(comparison.lab(lab -> lab.cloud().total()))
                    .as("calls, those of the node are " + node.cloud())
                    .isBetween(0.5 * node.cloud().total(), 2.0 * node.cloud().total());
            assertThat(node.cloud().calls().keySet())
                    .as("what was called")
                    .isEqualTo(comparison.labs().get(0).cloud().calls().keySet());
        });
    }

    private List<Comparison> sideBySide(List<Load> loads) throws Exception {
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(loads.size());
        try {
            List<Future<Comparison>> running = new ArrayList<>();
            for (Load load : loads) {
                running.add(threads.submit(() -> compared(load)));
            }
            List<Comparison> done = new ArrayList<>();
            for (Future<Comparison> one : running) {
                done.add(one.get());
            }
            return done;
        } catch (ExecutionException e) {
            throw new AssertionError("a load could not be played", e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private Comparison compared(Load load) throws Exception {
        Path root = Files.createDirectories(
                scratch.resolve(load.name().replaceAll("[^a-z0-9]+", "-")).resolve("root"));
        Path file = Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"), load.configuration());
        ReplayResult node;
        try (DaemonWithShell daemon = new DaemonWithShell(new ProgramRunner(scratch), root)) {
            daemon.start();
            daemon.ok("cloud throttle default");
            try (DaemonConnection connection = DaemonConnection.open(daemon.socket());
                    Player player = new Player(load.trace(), connection)) {
                Awaitility.await("the pool is full to its lower watermark")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> player.pool().getCounts().getIdle() >= load.minIdle());
                if (MINUTES > 0) {
                    Thread.sleep(WARM_UP.toMillis());
                    // limits count by the minutes of the clock
                    Thread.sleep(60_000 - System.currentTimeMillis() % 60_000);
                }
                node = player.play();
            }
        }
        CloudProfile profile =
                new CloudProfile(List.of(ConfigFile.named(file)), ThrottleLimits.parse("default"), Map.of());
        try (PolicyCatalog policies = new PolicyCatalog(List.of(), List.of())) {
            List<ReplayResult> labs = new ArrayList<>();
            for (long seed = 1; seed <= SEEDS; seed++) {
                labs.add(Replay.run(
                                load.trace(),
                                profile,
                                PolicyChoice.parse("watermark"),
                                policies,
                                seed,
                                part -> {},
                                () -> true)
                        .orElseThrow());
            }
            return new Comparison(load, node, labs);
        }
    }

    /** A container runtime that has the pods of a trace. */
    private static final class Player implements AutoCloseable {
        private final Trace trace;
        private final DaemonConnection daemon;
        private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        /** Without a bound: with one, pods that wait for an address would keep others from giving theirs back. */
        private final ExecutorService callers = Executors.newCachedThreadPool();

        private final ConcurrentLinkedQueue<Long> waits = new ConcurrentLinkedQueue<>();
        private final Map<String, Long> failures = new ConcurrentHashMap<>();
        private volatile boolean over;
        private long idleSamples;
        private long heldSamples;
        private int mostHeld;

        Player(Trace trace, DaemonConnection daemon) {
            this.trace = trace;
            this.daemon = daemon;
        }

        Pool pool() {
            return daemon.inspect(CALL, stub -> stub.getPool(GetPoolRequest.getDefaultInstance()))
                    .getPool();
        }

        private Map<String, CloudCallCount> counts() {
            Map<String, CloudCallCount> counts = new HashMap<>();
            daemon.inspect(CALL, stub -> stub.getCloud(GetCloudRequest.getDefaultInstance()))
                    .getCallsList()
                    .forEach(count -> counts.put(count.getApi(), count));
            return counts;
        }

        ReplayResult play() throws InterruptedException {
            Map<String, CloudCallCount> before = counts();
            for (int i = 0; i < trace.sandboxes().size(); i++) {
                int number = i;
                Sandbox sandbox = trace.sandboxes().get(i);
                after(sandbox.at(), () -> add(sandbox, number, 0, System.nanoTime()));
            }
            timer.scheduleAtFixedRate(() -> callers.execute(this::sample), 1, 1, TimeUnit.SECONDS);
            Thread.sleep(trace.length().toMillis());
            over = true;
            return result(before, counts());
        }

        private void after(Duration delay, Runnable work) {
            timer.schedule(
                    () -> {
                        if (!over) {
                            callers.execute(work);
                        }
                    },
                    delay.toNanos(),
                    TimeUnit.NANOSECONDS);
        }

        private void add(Sandbox sandbox, int number, int attempt, long since) {
            String container = "c" + number + "-" + attempt;
            try {
                daemon.control(
                        CALL,
                        stub -> stub.cniAdd(CniAddRequest.newBuilder()
                                .setPod(sandbox.pod())
                                .setContainer(container)
                                .setTimeout(Durations.fromSeconds(ADD_TIMEOUT.toSeconds()))
                                .build()));
            } catch (ShellException e) {
                if (!over) {
                    failures.merge(e.code(), 1L, Long::sum);
                    del(sandbox, container);
                    after(RETRY, () -> add(sandbox, number, attempt + 1, since));
                }
                return;
            }
            if (!over) {
                waits.add(System.nanoTime() - since);
                sandbox.lives().ifPresent(lives -> after(lives, () -> del(sandbox, container)));
            }
        }

        private void del(Sandbox sandbox, String container) {
            daemon.control(
                    CALL,
                    stub -> stub.cniDel(CniDelRequest.newBuilder()
                            .setPod(sandbox.pod())
                            .setContainer(container)
                            .build()));
        }

        private synchronized void sample() {
            if (!over) {
                Pool pool = pool();
                var counts = pool.getCounts();
                idleSamples += counts.getIdle();
                int held = counts.getIdle()
                        + counts.getInUse()
                        + counts.getCooling()
                        + counts.getReserved()
                        + counts.getDisposing()
                        + counts.getInvalid();
                heldSamples += held;
                mostHeld = Math.max(mostHeld, held);
            }
        }

        private synchronized ReplayResult result(
                Map<String, CloudCallCount> before, Map<String, CloudCallCount> after) {
            Map<String, Long> calls = new TreeMap<>();
            long throttled = 0;
            for (CloudCallCount now : after.values()) {
                CloudCallCount then = before.getOrDefault(now.getApi(), CloudCallCount.getDefaultInstance());
                if (now.getCalls() > then.getCalls()) {
                    calls.put(now.getApi(), (long) now.getCalls() - then.getCalls());
                }
                throttled += now.getThrottled() - then.getThrottled();
            }
            long[] nanos = waits.stream().mapToLong(Long::longValue).toArray();
            return new ReplayResult(
                    "enipamd",
                    SEED,
                    ReplayResult.Waits.of(trace.sandboxes().size(), nanos),
                    new ReplayResult.Cloud(calls, throttled),
                    new ReplayResult.Addresses(idleSamples / 3600.0, heldSamples / 3600.0, mostHeld),
                    failures);
        }

        @Override
        public void close() throws InterruptedException {
            over = true;
            timer.shutdownNow();
            callers.shutdownNow();
            callers.awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    private static String table(Comparison compared) {
        List<String> rows = new ArrayList<>(List.of(
                "| " + compared.load().name() + " | node | lab, mean of " + SEEDS + " seeds | least to most | ratio |",
                "|---|---|---|---|---|"));
        rows.add(row("pods with an address", compared, result -> result.waits().served()));
        rows.add(row("failed ADDs", compared, ReplayResult::failed));
        rows.add(row("wait, mean, ms", compared, result -> result.waits().meanMillis()));
        rows.add(row("wait, p50, ms", compared, result -> result.waits().p50Millis()));
        rows.add(row("wait, p99, ms", compared, result -> result.waits().p99Millis()));
        Set<String> names = new TreeSet<>(compared.node().cloud().calls().keySet());
        compared.labs().forEach(lab -> names.addAll(lab.cloud().calls().keySet()));
        names.forEach(name ->
                rows.add(row(name, compared, result -> result.cloud().calls().getOrDefault(name, 0L))));
        rows.add(row("all calls", compared, result -> result.cloud().total()));
        rows.add(row(
                "ENIs attached or detached", compared, result -> result.cloud().eniChanges()));
        rows.add(row("most addresses", compared, result -> result.addresses().mostHeld()));
        rows.add(
                row("idle address-hours", compared, result -> result.addresses().idleHours()));
        return String.join("\n", rows) + "\n";
    }

    private static String row(String what, Comparison compared, ToDoubleFunction<ReplayResult> figure) {
        double node = figure.applyAsDouble(compared.node());
        double lab = compared.lab(figure);
        DoubleSummaryStatistics all =
                compared.labs().stream().mapToDouble(figure).summaryStatistics();
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s to %s | %s |",
                what,
                number(node),
                number(lab),
                number(all.getMin()),
                number(all.getMax()),
                node == 0 ? "" : String.format(Locale.ROOT, "%.2f", lab / node));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 && value != Math.rint(value) ? "%.2f" : "%.0f", value);
    }
}
