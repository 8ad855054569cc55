package io.enipam.bench.process;

import io.enipam.bench.Ratios;
import io.enipam.bench.Scratch;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.InspectGrpc;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.logging.LogManager;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures {@code pool show} and {@code pool inuse} as processes. All contenders take turns, so that what else the machine
 * does meets all of them.
 *
 * <p>Arguments: a directory, how many runs of each, and how many leases there are. JAVA_HOME says which JDK is measured.
 */
public final class ShellBenchMain {
    private static final Map<String, String> AS_IT_IS = Map.of();
    private static final Map<String, String> NO_ARCHIVE = Map.of("ENIPAM_NO_ARCHIVE", "1");

    private record Contender(String name, Map<String, String> environment, List<String> command) {}

    private ShellBenchMain() {}

    public static void main(String[] args) throws Exception {
        int runs = Scratch.number(args, 1, 21);
        int leases = Scratch.number(args, 2, 10_000);
        try (Scratch scratch = Scratch.of(args);
                BenchCloud cloud = new BenchCloud(leases)) {
            Path root = scratch.path();
            cloud.configure(root);
            DaemonProcess node = new DaemonProcess(root);
            Process daemon = node.start();
            try {
                node.fill(leases);
                measure(node.socket(), root, runs, leases);
            } finally {
                daemon.destroyForcibly().waitFor();
            }
        }
    }

    private static void measure(Path socket, Path root, int runs, int leases) throws Exception {
        Path home = Path.of(System.getProperty("enipam.home"));
        run(home.resolve("runtime/bin/enipam-archive").toString());
        List<String> hello = hello(home, root, socket);
        List<Contender> contenders = List.of(
                new Contender("gRPC hello", AS_IT_IS, hello),
                new Contender("pool show", AS_IT_IS, enipam(home, socket, "pool", "show")),
                new Contender("pool show, no archive", NO_ARCHIVE, enipam(home, socket, "pool", "show")),
                new Contender("pool inuse", AS_IT_IS, enipam(home, socket, "pool", "inuse")),
                new Contender("pool inuse -o json", AS_IT_IS, enipam(home, socket, "pool", "inuse", "-o", "json")));
        Map<String, List<ProcessRun>> took = new LinkedHashMap<>();
        for (int run = 0; run < runs; run++) {
            for (Contender contender : contenders) {
                took.computeIfAbsent(contender.name, name -> new ArrayList<>())
                        .add(ProcessRun.of(contender.environment, contender.command));
            }
        }
        print(took, leases, runs);
        report("shell/pool-show", took, ProcessRun::micros);
        report("shell/pool-show-cpu", took, ProcessRun::cpuMillis);
    }

    private static List<String> enipam(Path home, Path socket, String... command) {
        List<String> all =
                new ArrayList<>(List.of(home.resolve("shell/bin/enipam").toString(), "--socket", socket.toString()));
        all.addAll(List.of(command));
        return all;
    }

    private static void report(String figure, Map<String, List<ProcessRun>> took, ToLongFunction<ProcessRun> what)
            throws IOException {
        Ratios.report(
                figure,
                ProcessRun.median(took.get("pool show"), what),
                ProcessRun.median(took.get("gRPC hello"), what));
    }

    private static void print(Map<String, List<ProcessRun>> took, int leases, int runs) {
        String java = System.getProperty("java.version");
        System.out.printf(Locale.ROOT, "java %s, %,d leases, %d runs of each%n", java, leases, runs);
        System.out.println("                          median ms   least ms     CPU ms   first byte    RSS MiB");
        took.forEach((name, all) -> System.out.printf(
                Locale.ROOT,
                "%-24s %10d %10d %10d %12d %10d%n",
                name,
                ProcessRun.median(all, ProcessRun::micros) / 1_000,
                ProcessRun.least(all, ProcessRun::micros) / 1_000,
                ProcessRun.median(all, ProcessRun::cpuMillis),
                ProcessRun.median(all, ProcessRun::firstMicros) / 1_000,
                ProcessRun.median(all, ProcessRun::rssKib) >> 10));
        long show = ProcessRun.median(took.get("pool show"), ProcessRun::micros);
        System.out.printf(
                Locale.ROOT,
                "pool show is %.2f of a gRPC hello, and %.2f of itself without the archive%n",
                (double) show / ProcessRun.median(took.get("gRPC hello"), ProcessRun::micros),
                (double) show / ProcessRun.median(took.get("pool show, no archive"), ProcessRun::micros));
        System.out.printf(
                Locale.ROOT,
                "the first line of pool inuse comes %d ms after that of pool show%n",
                (ProcessRun.median(took.get("pool inuse"), ProcessRun::firstMicros)
                                - ProcessRun.median(took.get("pool show"), ProcessRun::firstMicros))
                        / 1_000);
    }

    /** The peer's command, with an archive of its own: all that a program without commands could do. */
    private static List<String> hello(Path home, Path root, Path socket) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:disable"));
        if (Runtime.version().feature() >= 24) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        String bench = Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(jar -> jar.matches(".*/enipam-bench-[^/]*\\.jar"))
                .findFirst()
                .orElseThrow();
        String libraries;
        try (Stream<Path> jars = Files.list(home.resolve("shell/target/lib"))) {
            libraries = jars.sorted().map(Path::toString).collect(Collectors.joining(":"));
        }
        List<String> program =
                List.of("-cp", bench + ":" + libraries, MinimalClient.class.getName(), socket.toString());
        Path archive = root.resolve("hello.jsa");
        List<String> first = new ArrayList<>(command);
        first.add("-XX:ArchiveClassesAtExit=" + archive);
        first.addAll(program);
        run(first.toArray(String[]::new));
        command.add("-XX:SharedArchiveFile=" + archive);
        command.addAll(program);
        return command;
    }

    private static void run(String... command) throws IOException, InterruptedException {
        int status = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
                .waitFor();
        if (status != 0) {
            throw new IllegalStateException("status " + status + " of " + String.join(" ", command));
        }
    }

    /** The peer: asks for the pool over gRPC, prints a figure of it, and does nothing else. */
    static final class MinimalClient {
        private MinimalClient() {}

        /** Argument: the socket. */
        public static void main(String[] args) {
            LogManager.getLogManager().reset();
            try (HealthProbe health = new HealthProbe(Path.of(args[0]))) {
                ManagedChannel channel = health.channel();
                int capacity = InspectGrpc.newBlockingStub(channel)
                        .getPool(GetPoolRequest.getDefaultInstance())
                        .getPool()
                        .getCapacity();
                System.out.println("capacity " + capacity);
                channel.shutdownNow();
            }
            System.exit(0);
        }
    }
}
