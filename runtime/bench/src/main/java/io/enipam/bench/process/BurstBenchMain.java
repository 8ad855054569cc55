package io.enipam.bench.process;

import io.enipam.bench.LoadGenerator;
import io.enipam.bench.LoadGenerator.Measurement;
import io.enipam.bench.Ratios;
import io.enipam.bench.Scratch;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.ListEnisRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a burst of pods costs on a node whose daemon has just started: processes of the CNI plugin, real network namespaces,
 * real veth pairs, addresses that are idle in the pool, and an emulated cloud in this process. Beside the daemon as it ships
 * and the daemon without its warm-up, and one of a cluster whose API server answers in 20 ms, the plugins {@code bridge} and
 * {@code host-local} by the same driver, in turns.
 *
 * <p>Arguments: a directory on a disk, how many starts are measured, and how many seconds nothing is called after a start.
 */
public final class BurstBenchMain {
    /** Debian's, or those that a Kubernetes node has. */
    private static final Path BRIDGE = Stream.of("/usr/lib/cni/bridge", "/opt/cni/bin/bridge")
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(Path.of("/usr/lib/cni/bridge"));

    private static final Duration API_LATENCY = Duration.ofMillis(20);
    private static final int BURST = 10;
    private static final int WARM_BURSTS = 5;
    private static final int ALONE = 20;
    private static final int CALLERS = 8;
    private static final int EACH = 8;
    private static final int PODS = CALLERS * EACH;

    private BurstBenchMain() {}

    /** What is measured, in this order. */
    private enum Phase {
        FIRST("first 10 ADDs at once", "first10"),
        WARM("10 ADDs at once, warm", "warm10"),
        DEL_TEN("10 DELs at once", "del10"),
        ADD_ONE("ADD, one at a time", "add1"),
        DEL_ONE("DEL, one at a time", "del1"),
        EIGHT("ADD by 8 callers", "add8");

        private final String text;
        private final String key;

        Phase(String text, String key) {
            this.text = text;
            this.key = key;
        }
    }

    /** A node whose pods a plugin connects. */
    private interface Node extends AutoCloseable {
        PluginCall plugin();

        Duration cpu();

        long rssKib() throws IOException;

        @Override
        void close() throws InterruptedException;
    }

    @FunctionalInterface
    private interface Start {
        Node run() throws Exception;
    }

    /** What one contender took, in all its runs. */
    private static final class Contender {
        private final String name;
        private final Start start;
        private final Map<Phase, List<long[]>> times = new EnumMap<>(Phase.class);
        private long eightNanos;
        private long silentMillis;
        private long firstMillis;
        private long firstRequests;
        private long warmMillis;
        private long rssKib;

        Contender(String name, Start start) {
            this.name = name;
            this.start = start;
        }

        Measurement of(Phase phase) {
            return Measurement.of(eightNanos, times.getOrDefault(phase, List.of()));
        }

        private List<long[]> into(Phase phase) {
            return times.computeIfAbsent(phase, unused -> new ArrayList<>());
        }

        /** Starts it, leaves it alone for a while, and calls. */
        void measure(Duration silence, PodApi api) throws Exception {
            try (Node node = start.run();
                    LoadGenerator ten = new LoadGenerator(BURST);
                    LoadGenerator one = new LoadGenerator(1);
                    LoadGenerator eight = new LoadGenerator(CALLERS)) {
                Duration began = node.cpu();
                Thread.sleep(silence.toMillis());
                Duration silent = node.cpu();
                silentMillis += silent.minus(began).toMillis();
                long asked = api.podRequests();
                List<long[]> unmeasured = new ArrayList<>();
                call(node, "ADD", ten, 1, into(Phase.FIRST));
                firstRequests += api.podRequests() - asked;
                firstMillis += node.cpu().minus(silent).toMillis();
                for (int i = 0; i < WARM_BURSTS; i++) {
                    call(node, "DEL", ten, 1, unmeasured);
                    call(node, "ADD", ten, 1, unmeasured);
                }
                for (int i = 0; i < WARM_BURSTS; i++) {
                    call(node, "DEL", ten, 1, into(Phase.DEL_TEN));
                    Duration before = node.cpu();
                    call(node, "ADD", ten, 1, into(Phase.WARM));
                    warmMillis += node.cpu().minus(before).toMillis();
                }
                call(node, "DEL", ten, 1, unmeasured);
                call(node, "ADD", one, ALONE, into(Phase.ADD_ONE));
                call(node, "DEL", one, ALONE, into(Phase.DEL_ONE));
                eightNanos += call(node, "ADD", eight, EACH, into(Phase.EIGHT));
                call(node, "DEL", eight, EACH, unmeasured);
                rssKib = Math.max(rssKib, node.rssKib());
            }
        }

        /** Calls the plugin for pods 0 to callers times each; returns the nanoseconds from the first to the last. */
        private static long call(Node node, String command, LoadGenerator callers, int each, List<long[]> times)
                throws InterruptedException {
            return callers.each(
                    each,
                    (caller, index) -> {
                        int pod = index * callers.count() + caller;
                        node.plugin().run(command, pod, BurstNetwork.namespace(pod));
                    },
                    times);
        }
    }

    public static void main(String[] args) throws Exception {
        String obstacle = BurstNetwork.obstacle(BRIDGE);
        if (!obstacle.isEmpty()) {
            System.err.println("nothing was measured: " + obstacle);
            System.exit(1);
        }
        int runs = Scratch.number(args, 1, 3);
        Duration silence = Duration.ofSeconds(Scratch.number(args, 2, 10));
        try (Scratch scratch = Scratch.of(args);
                BenchCloud cloud = new BenchCloud(PODS + BURST);
                PodApi api = new PodApi(PODS, API_LATENCY)) {
            Path root = Files.createDirectory(scratch.path().resolve("node"));
            DaemonProcess daemon = new DaemonProcess(root);
            makeAddresses(cloud, root, daemon, new BurstNetwork(PODS));
            Path front = CniFront.built(scratch.path().resolve("front"), CniFront.USUAL_COMPILER);
            Path ours = Files.writeString(
                    scratch.path().resolve("enipam.conf"),
                    "{\"cniVersion\":\"1.0.0\",\"name\":\"enipam\",\"type\":\"enipam-cni\"}");
            PluginCall enipam = new PluginCall(
                    front, ours, Map.of("ENIPAM_CNI_SOCKET", daemon.cniSocket().toString()));
            Path theirs = Files.writeString(
                    scratch.path().resolve("bridge.conf"),
                    "{\"cniVersion\":\"1.0.0\",\"name\":\"peer\",\"type\":\"bridge\",\"bridge\":\"bench0\","
                            + "\"isDefaultGateway\":true,\"ipam\":{\"type\":\"host-local\",\"ranges\":"
                            + "[[{\"subnet\":\"10.77.0.0/16\"}]],\"dataDir\":\"" + scratch.path() + "/addresses\"}}");
            String cluster = api.settings(root);
            List<Contender> contenders = List.of(
                    new Contender("enipam", () -> started(cloud, root, daemon, settings(true), enipam)),
                    new Contender("no warm-up", () -> started(cloud, root, daemon, settings(false), enipam)),
                    new Contender("in a cluster", () -> started(cloud, root, daemon, settings(true) + cluster, enipam)),
                    new Contender("bridge", () -> new Plugins(new PluginCall(BRIDGE, theirs, Map.of()))));
            for (int run = 0; run < runs; run++) {
                for (Contender contender : contenders) {
                    contender.measure(silence, api);
                }
            }
            print(contenders, runs, silence);
            report(contenders.get(0), contenders.get(3));
        }
    }

    /** A first daemon makes the addresses, which are idle for those that follow, and the ENIs get their links. */
    private static void makeAddresses(BenchCloud cloud, Path root, DaemonProcess daemon, BurstNetwork network)
            throws Exception {
        cloud.configure(root, settings(false));
        Process first = daemon.start();
        try {
            int addresses = PODS + BURST;
            daemon.fill(addresses);
            daemon.empty(addresses);
            List<String> macs = daemon.calling(channel ->
                    InspectGrpc.newBlockingStub(channel)
                            .listEnis(ListEnisRequest.getDefaultInstance())
                            .getEnisList()
                            .stream()
                            .map(eni -> eni.getMac())
                            .collect(Collectors.toList()));
            for (String mac : macs) {
                network.link(mac);
            }
        } finally {
            first.destroyForcibly().waitFor();
        }
    }

    private static String settings(boolean warmUp) {
        return "datapath: {use: 'on'}\npool: {min_idle: 0, max_idle: 200, cool_down: 0s}\ndaemon: {jit_warm_up: "
                + warmUp + "}\n";
    }

    private static Node started(BenchCloud cloud, Path root, DaemonProcess daemon, String settings, PluginCall plugin)
            throws Exception {
        cloud.configure(root, settings);
        return new Daemon(daemon.start(), plugin);
    }

    private record Daemon(Process process, PluginCall plugin) implements Node {
        @Override
        public Duration cpu() {
            return process.info().totalCpuDuration().orElse(Duration.ZERO);
        }

        @Override
        public long rssKib() throws IOException {
            return ProcessRun.status(process, "VmRSS").orElseThrow();
        }

        @Override
        public void close() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }

    /** Plugins without a daemon. */
    private record Plugins(PluginCall plugin) implements Node {
        @Override
        public Duration cpu() {
            return Duration.ZERO;
        }

        @Override
        public long rssKib() {
            return 0;
        }

        @Override
        public void close() {
            // nothing runs
        }
    }

    private static void print(List<Contender> contenders, int runs, Duration silence) {
        System.out.printf(
                Locale.ROOT,
                "java %s; %d starts of each, %d s of silence after each; ms%n",
                System.getProperty("java.version"),
                runs,
                silence.toSeconds());
        line("", contenders, contender -> String.format("%18s", contender.name));
        line("", contenders, contender -> String.format("%9s%9s", "p50", "p99"));
        for (Phase phase : Phase.values()) {
            line(phase.text, contenders, contender -> {
                Measurement took = contender.of(phase);
                return String.format(Locale.ROOT, "%9.1f%9.1f", took.p50Millis(), took.p99Millis());
            });
        }
        line(
                "ADDs a second, 8 callers",
                contenders,
                contender -> String.format(
                        Locale.ROOT, "%18.0f", contender.of(Phase.EIGHT).perSecond()));
        line(
                "CPU ms in the silence",
                contenders,
                contender -> String.format(Locale.ROOT, "%18d", contender.silentMillis / runs));
        line(
                "CPU ms in the first burst",
                contenders,
                contender -> String.format(Locale.ROOT, "%18d", contender.firstMillis / runs));
        line(
                "requests for pods in it",
                contenders,
                contender -> String.format(Locale.ROOT, "%18d", contender.firstRequests / runs));
        line(
                "CPU ms in a warm burst",
                contenders,
                contender -> String.format(Locale.ROOT, "%18d", contender.warmMillis / runs / WARM_BURSTS));
        line("RSS MiB at the end", contenders, contender -> String.format(Locale.ROOT, "%18d", contender.rssKib >> 10));
    }

    @FunctionalInterface
    private interface Cell {
        String of(Contender contender);
    }

    private static void line(String title, List<Contender> contenders, Cell cell) {
        System.out.println(String.format("%-25s", title)
                + contenders.stream().map(cell::of).collect(Collectors.joining()));
    }

    private static void report(Contender ours, Contender peer) throws IOException {
        for (Phase phase : Phase.values()) {
            Ratios.report(
                    "burst/" + phase.key,
                    ours.of(phase).p50Millis(),
                    peer.of(phase).p50Millis());
        }
        Ratios.report(
                "burst/rate8",
                1 / ours.of(Phase.EIGHT).perSecond(),
                1 / peer.of(Phase.EIGHT).perSecond());
    }
}
