package io.enipam.bench.process;

import io.enipam.bench.Scratch;
import io.enipam.bench.durable.EngineAddWriter;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.store.Disk;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.StoreOptions;
import io.enipam.store.history.HistoryLimits;
import io.enipam.store.history.LeaseHistoryFiles;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.InspectGrpc;
import io.grpc.ManagedChannel;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The history of leases: how long {@code who} takes over the socket of a daemon that ten restarts and so many leases are behind, what a
 * lease takes on the disk, and what an ADD takes with and without all that outlives the daemon, in turns.
 */
public final class HistoryBenchMain {
    private static final int RUNS = 10;
    private static final int ADDRESSES = 250;
    private static final int AT_ONCE = ADDRESSES;
    private static final int QUESTIONS = 200;
    private static final int ROUNDS = 10;
    private static final PrintStream OUT = System.out;

    private HistoryBenchMain() {}

    /** Arguments: directory; leases, by default 1,000,000; ADDs of each turn, by default 2,000. */
    public static void main(String[] args) throws Exception {
        int leases = Scratch.number(args, 1, 1_000_000);
        try (Scratch scratch = Scratch.of(args)) {
            who(scratch.path().resolve("node"), leases);
            adds(scratch.path(), Scratch.number(args, 2, 2_000));
        }
    }

    private static void who(Path root, int leases) throws Exception {
        Path history = Files.createDirectories(root.resolve("lib/history"));
        Instant first = Instant.now().minus(Duration.ofDays(20));
        for (int run = 0; run < RUNS; run++) {
            fill(root, history, first, run, leases / RUNS);
        }
        long bytes = 0;
        for (String name : Disk.local().list(history)) {
            bytes += Files.isRegularFile(history.resolve(name)) ? Files.size(history.resolve(name)) : 0;
        }
        OUT.printf("%,d leases in ten runs: %.1f bytes each%n", leases, (double) bytes / leases);
        DaemonProcess node = new DaemonProcess(root);
        try (BenchCloud cloud = new BenchCloud(ADDRESSES)) {
            cloud.configure(root);
            long begun = System.nanoTime();
            Process daemon = node.start();
            OUT.printf("the daemon serves after %d ms%n", (System.nanoTime() - begun) / 1_000_000);
            try {
                ask(node, leases);
            } finally {
                daemon.destroy();
                daemon.waitFor(30, TimeUnit.SECONDS);
            }
        }
    }

    private static void ask(DaemonProcess node, int leases) throws Exception {
        node.calling(channel -> {
            // as a shell does that attaches: its call pays for the connection
            print(
                    "status, the first call of all",
                    List.of(millis(() -> stub(channel).getStatus(GetStatusRequest.getDefaultInstance()))));
            print("who ADDRESS, the first", List.of(took(channel, "10.0.0.78", 10)));
            List<Double> addresses = new ArrayList<>();
            List<Double> pods = new ArrayList<>();
            Random random = new Random(7);
            for (int i = 0; i < QUESTIONS; i++) {
                addresses.add(took(channel, "10.0.0." + (1 + random.nextInt(ADDRESSES)), 10));
                // of the first run
                pods.add(took(channel, pod(random.nextInt(leases / RUNS)), 50));
            }
            print("who ADDRESS", addresses);
            print("lease history POD of the first run", pods);
            return 0;
        });
    }

    private static double took(ManagedChannel channel, String what, int limit) {
        GetLeaseHistoryRequest request = GetLeaseHistoryRequest.newBuilder()
                .setWhat(what)
                .setLimit(limit)
                .build();
        return millis(() -> {
            if (stub(channel).getLeaseHistory(request).getLeasesCount() == 0) {
                throw new IllegalStateException("nothing is known of " + what);
            }
        });
    }

    private static InspectGrpc.InspectBlockingStub stub(ManagedChannel channel) {
        return InspectGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    private static double millis(Runnable call) {
        long begun = System.nanoTime();
        call.run();
        return (System.nanoTime() - begun) / 1e6;
    }

    private static void print(String what, List<Double> millis) {
        double[] sorted =
                millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        OUT.printf(
                "%-40s p50 %7.2f ms   p99 %7.2f ms   max %7.2f ms%n",
                what,
                sorted[sorted.length / 2],
                sorted[Math.min(sorted.length - 1, sorted.length * 99 / 100)],
                sorted[sorted.length - 1]);
    }

    /** One run of a daemon: pods come and go, all addresses at once. */
    private static void fill(Path root, Path history, Instant first, int run, int leases) throws Exception {
        HistoryLimits limits = new HistoryLimits(Duration.ofDays(30), 256L << 20);
        try (LeaseHistoryFiles files = LeaseHistoryFiles.open(history, () -> limits, Clock.systemUTC(), Disk.local());
                ResourceDb db = JournaledResourceDb.open(
                        root.resolve("lib/db"), StoreOptions.defaults(), Disk.local(), () -> files)) {
            for (int from = 0; from < leases; from += AT_ONCE) {
                List<Change> come = new ArrayList<>();
                List<Change> go = new ArrayList<>();
                for (int i = from; i < Math.min(leases, from + AT_ONCE); i++) {
                    Lease lease = lease(run * leases + i, first);
                    come.add(new Change.PutLease(lease));
                    go.add(new Change.RemoveLease(
                            lease.owner(),
                            new LeaseEnd(
                                    LeaseEnd.Reason.DEL,
                                    "cni",
                                    "",
                                    lease.since().plusMillis(900 + i % 100))));
                }
                commit(db, come);
                commit(db, go);
            }
        }
    }

    private static void commit(ResourceDb db, List<Change> changes) throws Exception {
        db.commit(changes).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static String pod(int n) {
        return "shop/checkout-%08x-%s".formatted(n / 50 * 31, Integer.toString(n, 36));
    }

    private static Lease lease(int n, Instant first) {
        Random random = new Random(n);
        String ip = "10.0.0." + (n % ADDRESSES + 1);
        String eni = "eni-bp1" + (n % ADDRESSES / 10) + "a6hnxw1e5j3ks";
        Resource resource = new Resource(
                new ResourceId(eni + "/" + ip), ResourceKind.ENI_IP, List.of(Address.parse(ip + "/24")), eni, Map.of());
        String container = "%016x%016x%016x%016x"
                .formatted(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
        return new Lease(
                new OwnerKey("enipam", container, "eth0"),
                PodRef.parse(pod(n)),
                new UUID(random.nextLong(), random.nextLong()).toString(),
                resource,
                Duration.ZERO,
                first.plusMillis(n / ADDRESSES * 1_000L));
    }

    /** One caller's ADDs and DELs, in turns without and with the history, of which the first two warm up. */
    private static void adds(Path directory, int count) throws Exception {
        double[][] millis = new double[2][];
        double[] cpu = new double[2];
        Arrays.setAll(millis, kept -> new double[0]);
        try (EngineAddWriter without = new EngineAddWriter(directory.resolve("without"), ADDRESSES, false);
                EngineAddWriter with = new EngineAddWriter(directory.resolve("with"), ADDRESSES, true)) {
            List<EngineAddWriter> both = List.of(without, with);
            for (int round = 0; round < ROUNDS; round++) {
                for (int kept = 0; kept < 2; kept++) {
                    long used = cpuNanos();
                    double[] took = turn(both.get(kept), count);
                    if (round > 0) {
                        cpu[kept] += (cpuNanos() - used) / 1e6 / count / (ROUNDS - 1);
                        int before = millis[kept].length;
                        millis[kept] = Arrays.copyOf(millis[kept], before + count);
                        System.arraycopy(took, 0, millis[kept], before, count);
                    }
                }
            }
        }
        for (int kept = 0; kept < 2; kept++) {
            print(
                    kept == 0 ? "ADD without history" : "ADD with leases, events, traces",
                    Arrays.stream(millis[kept]).boxed().toList());
            OUT.printf("%-40s     %7.3f ms of CPU an ADD and its DEL%n", "", cpu[kept]);
        }
    }

    private static double[] turn(EngineAddWriter writer, int count) throws Exception {
        double[] took = new double[count];
        for (int i = 0; i < count; i++) {
            long begun = System.nanoTime();
            writer.put(0, i);
            took[i] = (System.nanoTime() - begun) / 1e6;
            writer.clear(0, i);
        }
        return took;
    }

    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }
}
