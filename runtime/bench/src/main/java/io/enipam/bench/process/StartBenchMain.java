package io.enipam.bench.process;

import io.enipam.bench.Ratios;
import io.enipam.bench.Scratch;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * The daemon's start, from exec to SERVING, after a {@code kill -9}. The leases are made by a daemon on an emulated cloud,
 * which lists them to every daemon that follows. Daemon and peer take turns.
 *
 * <p>Arguments: a directory on a disk, how many starts are measured of each, and with how many leases.
 */
public final class StartBenchMain {
    private static final int[] LEASES = {1_000, 10_000};

    private StartBenchMain() {}

    public static void main(String[] args) throws Exception {
        int runs = Scratch.number(args, 1, 7);
        System.out.printf(
                "%8s %12s %12s %12s %12s %12s %12s%n",
                "leases", "enipamd ms", "slowest ms", "CPU ms", "peer ms", "CPU ms", "enipamd/peer");
        int[] sizes = args.length > 2
                ? Stream.of(args).skip(2).mapToInt(Integer::parseInt).toArray()
                : LEASES;
        for (int leases : sizes) {
            measure(args, leases, runs);
        }
    }

    private static void measure(String[] args, int leases, int runs) throws Exception {
        List<Took> ours = new ArrayList<>();
        List<Took> theirs = new ArrayList<>();
        try (Scratch scratch = Scratch.of(args);
                BenchCloud cloud = new BenchCloud(leases)) {
            Path root = scratch.path();
            cloud.configure(root);
            DaemonProcess node = new DaemonProcess(root);
            Path records = root.resolve("peer.db");
            Process first = node.start();
            try {
                Map<String, byte[]> rows = node.fill(leases);
                if (rows.size() != leases) {
                    throw new IllegalStateException(rows.size() + " leases instead of " + leases);
                }
                MinimalDaemon.prepare(records, rows);
            } finally {
                first.destroyForcibly().waitFor();
            }
            for (int run = 0; run < runs; run++) {
                ours.add(timed(node::start));
                theirs.add(timed(() -> peer(root, records)));
            }
        }
        Took mine = median(ours);
        Took peer = median(theirs);
        System.out.printf(
                Locale.ROOT,
                "%8d %12d %12d %12d %12d %12d %12.2f%n",
                leases,
                mine.millis(),
                ours.stream().mapToLong(Took::millis).max().orElseThrow(),
                mine.cpuMillis(),
                peer.millis(),
                peer.cpuMillis(),
                (double) mine.millis() / peer.millis());
        Ratios.report("start/leases" + leases, mine.millis(), peer.millis());
        Ratios.report("start/leases" + leases + "-cpu", mine.cpuMillis(), peer.cpuMillis());
    }

    /**
     * What one start took, on the clock, and of the processors in all its threads: what a busy machine does not change.
     */
    private record Took(long millis, long cpuMillis) {}

    private interface Start {
        Process run() throws IOException, InterruptedException;
    }

    private static Took timed(Start start) throws IOException, InterruptedException {
        long began = System.nanoTime();
        Process process = start.run();
        long millis = (System.nanoTime() - began) / 1_000_000;
        long cpu = process.info().totalCpuDuration().map(Duration::toMillis).orElse(0L);
        process.destroyForcibly().waitFor();
        return new Took(millis, cpu);
    }

    private static Process peer(Path root, Path records) throws IOException, InterruptedException {
        Path socket = root.resolve("peer.sock");
        Files.deleteIfExists(socket);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MinimalDaemon.class.getName(),
                        records.toString(),
                        socket.toString())
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("peer.log").toFile())
                .start();
        try (HealthProbe health = new HealthProbe(socket)) {
            health.await(process);
        }
        return process;
    }

    private static Took median(List<Took> all) {
        return all.stream().sorted(Comparator.comparing(Took::millis)).toList().get(all.size() / 2);
    }

    /** The peer: reads the records out of a transactional MapDB file, then serves health on a socket, and does nothing else. */
    static final class MinimalDaemon {
        private MinimalDaemon() {}

        /** Writes the file that the peer reads. */
        static void prepare(Path file, Map<String, byte[]> records) {
            try (DB db = open(file)) {
                BTreeMap<String, byte[]> tree = tree(db);
                tree.putAll(records);
                db.commit();
            }
        }

        /** Arguments: the file and the socket. */
        public static void main(String[] args) throws Exception {
            long bytes = 0;
            try (DB db = open(Path.of(args[0]))) {
                for (byte[] record : tree(db).getValues()) {
                    bytes += record.length;
                }
            }
            if (bytes == 0) {
                throw new IllegalStateException("there is nothing in " + args[0]);
            }
            HealthStatusManager health = new HealthStatusManager();
            health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.SERVING);
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
            NettyServerBuilder.forAddress(new DomainSocketAddress(args[1]))
                    .channelType(EpollServerDomainSocketChannel.class)
                    .bossEventLoopGroup(group)
                    .workerEventLoopGroup(group)
                    .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                    .addService(health.getHealthService())
                    .build()
                    .start()
                    .awaitTermination();
        }

        private static DB open(Path file) {
            return DBMaker.fileDB(file.toFile())
                    .fileChannelEnable()
                    .transactionEnable()
                    .make();
        }

        private static BTreeMap<String, byte[]> tree(DB db) {
            return db.treeMap("leases", Serializer.STRING, Serializer.BYTE_ARRAY)
                    .createOrOpen();
        }
    }
}
