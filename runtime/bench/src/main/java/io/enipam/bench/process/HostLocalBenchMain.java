package io.enipam.bench.process;

import io.enipam.bench.Scratch;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Measures {@code enipam-ipam} with the extension host-local beside Debian's plugin, as processes: ADD and DEL of ranges that are empty,
 * half full and nearly full, by one caller and by eight. Both take turns, each on files of its own. Arguments: a directory on the disk to
 * be measured, how many ADDs of each cell, and the lengths of the ranges' prefixes.
 */
public final class HostLocalBenchMain {
    private static final Path DEBIANS = Path.of("/usr/lib/cni/host-local");
    private static final int[] CALLERS = {1, 8};
    private static final int[] FULL = {0, 50, 99};
    private static final List<String> LENGTHS = List.of("24", "16");
    private static final int HUNDRED = 100;

    /** So many are left in any range: each caller has one at a time, and none may fail. */
    private static final int LEFT = 16;

    /** A cell of the slower contender is given up after this time, in nanoseconds, with what it has done. */
    private static final long LONGEST = 20_000_000_000L;

    private HostLocalBenchMain() {}

    public static void main(String[] args) throws Exception {
        int calls = Scratch.number(args, 1, 200);
        // a runtime starts a plugin by fork and exec: the program in between that the JVM starts first would cost as
        // much again
        System.setProperty("jdk.lang.Process.launchMechanism", "VFORK");
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
            Path front = CniFront.built(directory.path().resolve("front"), "cc").resolveSibling("enipam-ipam");
            Map<String, Path> contenders = new LinkedHashMap<>();
            if (Files.isExecutable(DEBIANS)) {
                contenders.put("host-local", DEBIANS);
            }
            contenders.put("enipam-ipam", front);
            Process process = daemon.start();
            try {
                System.out.printf("%d ADDs and DELs a cell; milliseconds from exec to exit%n", calls);
                System.out.println("range  full callers program         ADD p50   ADD p99   DEL p50  calls/s");
                for (String length : args.length > 2 ? List.of(args).subList(2, args.length) : LENGTHS) {
                    for (int full : FULL) {
                        for (int callers : CALLERS) {
                            Load load = new Load(Integer.parseInt(length), full, callers, calls);
                            cells(directory.path(), daemon, contenders, load);
                        }
                    }
                }
            } finally {
                process.destroy();
                process.waitFor();
            }
        }
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
    }

    private static void cells(Path scratch, DaemonProcess daemon, Map<String, Path> contenders, Load load)
            throws Exception {
        Map<String, Double> rates = new LinkedHashMap<>();
        for (Map.Entry<String, Path> contender : contenders.entrySet()) {
            Path data = scratch.resolve(
                    contender.getKey() + "-" + load.length() + "-" + load.full() + "-" + load.callers());
            fill(data.resolve("bench"), load.taken());
            Path config = Files.writeString(
                    scratch.resolve(data.getFileName() + ".json"),
                    "{\"cniVersion\":\"1.0.0\",\"name\":\"bench\",\"type\":\"bridge\",\"ipam\":{\"type\":\""
                            + contender.getKey() + "\",\"subnet\":\"" + load.range() + "\",\"dataDir\":\"" + data
                            + "\"}}");
            PluginCall call = new PluginCall(
                    contender.getValue(),
                    config,
                    Map.of("ENIPAM_CNI_SOCKET", daemon.cniSocket().toString()));
            rates.put(contender.getKey(), cell(contender.getKey(), call, load));
        }
        if (rates.size() == 2) {
            System.out.printf(
                    Locale.ROOT,
                    "%36s enipam-ipam does %.2f of host-local's calls%n",
                    "",
                    rates.get("enipam-ipam") / rates.get("host-local"));
        }
    }

    private static void fill(Path network, int taken) throws IOException {
        Files.createDirectories(network);
        for (int number = 2; number < taken + 2; number++) {
            Files.writeString(
                    network.resolve("10.9." + (number >> Byte.SIZE) + "." + (number & 0xff)),
                    "filler" + number + "\r\neth0");
        }
    }

    /** Runs a cell and prints its row; answers the calls a second. */
    private static double cell(String name, PluginCall call, Load load) throws Exception {
        // what the first call reads once is not what a call costs
        call.run("ADD", -1, "/var/run/netns/a");
        call.run("DEL", -1, "/var/run/netns/a");
        ExecutorService threads = Executors.newFixedThreadPool(load.callers());
        long began = System.nanoTime();
        List<Long> adds = new ArrayList<>();
        List<Long> dels = new ArrayList<>();
        try {
            List<Callable<List<List<Long>>>> work = new ArrayList<>();
            for (int caller = 0; caller < load.callers(); caller++) {
                int first = caller * load.calls();
                work.add(() -> calls(call, first, load.calls() / load.callers(), began));
            }
            for (Future<List<List<Long>>> done : threads.invokeAll(work)) {
                adds.addAll(done.get().get(0));
                dels.addAll(done.get().get(1));
            }
        } finally {
            threads.shutdownNow();
        }
        double rate = (adds.size() + dels.size()) * 1e9 / (System.nanoTime() - began);
        System.out.printf(
                Locale.ROOT,
                "/%-5d %3d%% %7d %-12s %10.2f %9.2f %9.2f %8.0f%n",
                load.length(),
                load.full(),
                load.callers(),
                name,
                CniBenchMain.percentile(adds, 50) / 1e6,
                CniBenchMain.percentile(adds, 99) / 1e6,
                CniBenchMain.percentile(dels, 50) / 1e6,
                rate);
        return rate;
    }

    private static List<List<Long>> calls(PluginCall call, int first, int count, long began)
            throws IOException, InterruptedException {
        List<Long> adds = new ArrayList<>();
        List<Long> dels = new ArrayList<>();
        for (int i = 0; i < count && (i == 0 || System.nanoTime() - began < LONGEST); i++) {
            long start = System.nanoTime();
            call.run("ADD", first + i, "/var/run/netns/a");
            long between = System.nanoTime();
            call.run("DEL", first + i, "/var/run/netns/a");
            adds.add(between - start);
            dels.add(System.nanoTime() - between);
        }
        return List.of(adds, dels);
    }
}
