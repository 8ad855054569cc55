package io.enipam.bench.process;

import io.enipam.bench.Scratch;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures {@code enipam-ipam} with the extension host-local beside Debian's plugin, as processes: ADD and DEL of ranges that are empty,
 * half full and nearly full, by one caller and by eight. They take turns, each on files of its own, and so does a program that does nothing:
 * what any process costs its caller. {@code call-plugin.c} is the caller. Arguments: a directory on the disk to be measured, how many ADDs
 * of each cell, and the lengths of the ranges' prefixes.
 */
public final class HostLocalBenchMain {
    private static final Path DEBIANS = Path.of("/usr/lib/cni/host-local");
    private static final String GO = "host-local";
    private static final String OURS = "enipam-ipam";
    private static final String NOTHING = "(nothing)";
    private static final int[] CALLERS = {1, 8};
    private static final int[] FULL = {0, 50, 99};
    private static final List<String> LENGTHS = List.of("24", "16");
    private static final int HUNDRED = 100;

    /** So many are left in any range: each caller has one at a time, and none may fail. */
    private static final int LEFT = 16;

    /** After so many seconds a cell of the slower contender begins no more calls. */
    private static final int LONGEST = 20;

    private HostLocalBenchMain() {}

    public static void main(String[] args) throws Exception {
        int calls = Scratch.number(args, 1, 200);
        try (Scratch directory = Scratch.of(args);
                BenchCloud cloud = new BenchCloud(1)) {
            Path root = Files.createDirectory(directory.path().resolve("root"));
            Path home = Path.of(System.getProperty("enipam.home"));
            Path plugins = Files.createDirectories(root.resolve("lib/plugins/host-local"));
            try (Stream<Path> jars = Files.list(home.resolve("plugins-examples/host-local/target/plugin"))) {
                for (Path jar : jars.toList()) {
                    Files.copy(jar, plugins.resolve(jar.getFileName()));
                }
            }
            cloud.configure(root, "datapath: {use: 'off'}\nextensions: [host-local]\n");
            DaemonProcess daemon = new DaemonProcess(root);
            Path caller = compiled(home, directory.path());
            Map<String, Path> contenders = new LinkedHashMap<>();
            contenders.put(NOTHING, caller);
            if (Files.isExecutable(DEBIANS)) {
                contenders.put(GO, DEBIANS);
            }
            contenders.put(
                    OURS,
                    CniFront.built(directory.path().resolve("front"), CniFront.USUAL_COMPILER)
                            .resolveSibling(OURS));
            Process process = daemon.start();
            try {
                Bench bench = new Bench(directory.path(), caller, daemon.cniSocket(), process.toHandle());
                System.out.printf(
                        "%d ADDs and DELs a cell; milliseconds from fork to wait; CPU of a call and of the daemon for it%n",
                        calls);
                System.out.println(
                        "range  full callers program         ADD p50   ADD p99   DEL p50  calls/s  CPU call    daemon");
                for (String length : args.length > 2 ? List.of(args).subList(2, args.length) : LENGTHS) {
                    for (int full : FULL) {
                        for (int callers : CALLERS) {
                            bench.cells(contenders, new Load(Integer.parseInt(length), full, callers, calls));
                        }
                    }
                }
            } finally {
                process.destroy();
                process.waitFor();
            }
        }
    }

    private static Path compiled(Path home, Path out) throws IOException, InterruptedException {
        Path program = out.resolve("call-plugin");
        Path source = home.resolve("runtime/bench/src/main/c/call-plugin.c");
        Process compiler = new ProcessBuilder(
                        "sh",
                        "-c",
                        "exec ${CC:-cc} -O2 -static -s -pthread -o \"$1\" \"$2\"",
                        "sh",
                        program.toString(),
                        source.toString())
                .inheritIO()
                .start();
        if (compiler.waitFor() != 0) {
            throw new IllegalStateException(source + " is not compiled");
        }
        return program;
    }

    /** What one row measures. */
    private record Load(int length, int full, int callers, int calls) {
        String range() {
            return "10.9.0.0/" + length;
        }

        int taken() {
            int size = (1 << (32 - length)) - 3;
            return Math.min(size * full / HUNDRED, size - LEFT);
        }

        /** Fills a directory as Debian's plugin would have. */
        void fill(Path network) throws IOException {
            Files.createDirectories(network);
            for (int number = 2; number < taken() + 2; number++) {
                Files.writeString(
                        network.resolve("10.9." + (number >> Byte.SIZE) + "." + (number & 0xff)),
                        "filler" + number + "\r\neth0");
            }
        }
    }

    private record Bench(Path scratch, Path caller, Path socket, ProcessHandle daemon) {
        void cells(Map<String, Path> contenders, Load load) throws IOException, InterruptedException {
            Map<String, Double> seconds = new LinkedHashMap<>();
            for (Map.Entry<String, Path> contender : contenders.entrySet()) {
                String name = contender.getKey();
                Path data = scratch.resolve(name + "-" + load.length() + "-" + load.full() + "-" + load.callers());
                load.fill(data.resolve("bench"));
                Path config = Files.writeString(
                        scratch.resolve(data.getFileName() + ".json"),
                        "{\"cniVersion\":\"1.0.0\",\"name\":\"bench\",\"type\":\"bridge\",\"ipam\":{\"type\":\"" + name
                                + "\",\"subnet\":\"" + load.range() + "\",\"dataDir\":\"" + data + "\"}}");
                // what the first calls read once is not what a call costs
                called(
                        contender.getValue(),
                        config,
                        new Load(load.length(), load.full(), load.callers(), load.callers()));
                Duration before = daemonCpu();
                Calls calls = called(contender.getValue(), config, load);
                Duration of = daemonCpu().minus(before);
                System.out.printf(
                        Locale.ROOT,
                        "/%-5d %3d%% %7d %-12s %10.2f %9.2f %9.2f %8.0f %9.2f %9s%n",
                        load.length(),
                        load.full(),
                        load.callers(),
                        name,
                        CniBenchMain.percentile(calls.adds(), 50) / 1e6,
                        CniBenchMain.percentile(calls.adds(), 99) / 1e6,
                        CniBenchMain.percentile(calls.dels(), 50) / 1e6,
                        1 / calls.secondsEach(),
                        calls.cpuMillisEach(),
                        name.equals(OURS)
                                ? String.format(Locale.ROOT, "%.2f", of.toNanos() / 1e6 / calls.count())
                                : "");
                seconds.put(name, calls.secondsEach());
            }
            if (seconds.containsKey(GO)) {
                double nothing = seconds.get(NOTHING);
                System.out.printf(
                        Locale.ROOT,
                        "%21s enipam-ipam does %.2f of host-local's calls; %.2f beside what a process costs%n",
                        "",
                        seconds.get(GO) / seconds.get(OURS),
                        (seconds.get(GO) - nothing) / (seconds.get(OURS) - nothing));
            }
        }

        /** Of the daemon and of those that it has started. */
        private Duration daemonCpu() {
            return Stream.concat(Stream.of(daemon), daemon.descendants())
                    .flatMap(process -> process.info().totalCpuDuration().stream())
                    .reduce(Duration.ZERO, Duration::plus);
        }

        private Calls called(Path plugin, Path config, Load load) throws IOException, InterruptedException {
            ProcessBuilder builder = new ProcessBuilder(
                    caller.toString(),
                    plugin.toString(),
                    config.toString(),
                    Integer.toString(load.callers()),
                    Integer.toString(load.calls() / load.callers()),
                    Integer.toString(LONGEST));
            builder.environment().put("ENIPAM_CNI_SOCKET", socket.toString());
            Process process =
                    builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("a call failed");
            }
            return Calls.read(lines);
        }
    }

    /** What {@code call-plugin} printed: nanoseconds of each call, and their CPU together. */
    private record Calls(long nanos, List<Long> adds, List<Long> dels, long cpuMicros) {
        static Calls read(List<String> lines) {
            Calls calls = new Calls(Long.parseLong(lines.get(0)), new ArrayList<>(), new ArrayList<>(), 0);
            long cpu = 0;
            for (String line : lines.subList(1, lines.size())) {
                String[] fields = line.split(" ");
                (fields[0].equals("ADD") ? calls.adds : calls.dels).add(Long.parseLong(fields[1]));
                cpu += Long.parseLong(fields[2]);
            }
            return new Calls(calls.nanos, calls.adds, calls.dels, cpu);
        }

        int count() {
            return adds.size() + dels.size();
        }

        double secondsEach() {
            return nanos / 1e9 / count();
        }

        double cpuMillisEach() {
            return cpuMicros / 1e3 / count();
        }
    }
}
