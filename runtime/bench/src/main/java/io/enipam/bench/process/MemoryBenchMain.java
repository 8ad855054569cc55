package io.enipam.bench.process;

import io.enipam.bench.Scratch;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the daemon's memory is: of a node with so many leases whose pods it watches at an API server, some time after the
 * last ADD. The table is the JVM's own (native memory tracking), which costs some memory itself; the first figures are the
 * kernel's, of a daemon without it.
 *
 * <p>Arguments: a directory, how many leases, and how many seconds nothing is called before memory is read.
 */
public final class MemoryBenchMain {
    private static final Pattern CATEGORY =
            Pattern.compile("-\\s+([A-Za-z][A-Za-z ]+) \\(reserved=\\d+KB, committed=(\\d+)KB.*");

    private MemoryBenchMain() {}

    public static void main(String[] args) throws Exception {
        int leases = Scratch.number(args, 1, 1_000);
        int seconds = Scratch.number(args, 2, 60);
        System.out.printf(
                Locale.ROOT,
                "java %s, %,d leases with a watch on their pods, %d s after the last ADD%n",
                System.getProperty("java.version"),
                leases,
                seconds);
        try (Scratch scratch = Scratch.of(args);
                BenchCloud cloud = new BenchCloud(leases);
                PodApi api = new PodApi(leases, Duration.ZERO)) {
            measure(scratch.path().resolve("shipped"), cloud, api, leases, seconds, "");
            measure(scratch.path().resolve("tracked"), cloud, api, leases, seconds, "-XX:NativeMemoryTracking=summary");
        }
    }

    private static void measure(Path root, BenchCloud cloud, PodApi api, int leases, int seconds, String options)
            throws Exception {
        cloud.configure(
                root,
                "datapath: {use: 'off'}\npool: {min_idle: 0, max_idle: 10}\nmetrics: {listen: ''}\n"
                        + api.settings(Files.createDirectories(root)));
        DaemonProcess node = new DaemonProcess(root);
        Process daemon = node.start(options.isEmpty() ? Map.of() : Map.of("JDK_JAVA_OPTIONS", options));
        try {
            long empty = ProcessRun.status(daemon, "VmRSS").orElseThrow();
            node.fill(leases);
            Thread.sleep(seconds * 1_000L);
            if (options.isEmpty()) {
                System.out.printf(
                        Locale.ROOT,
                        "RSS: %d MiB once it serves, %d with the leases, %d at most; %d threads%n",
                        empty >> 10,
                        ProcessRun.status(daemon, "VmRSS").orElseThrow() >> 10,
                        ProcessRun.status(daemon, "VmHWM").orElseThrow() >> 10,
                        ProcessRun.status(daemon, "Threads").orElseThrow());
            } else {
                table(daemon);
            }
        } finally {
            daemon.destroyForcibly().waitFor();
        }
    }

    private static void table(Process daemon) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(daemon.pid()),
                        "VM.native_memory",
                        "summary")
                .redirectErrorStream(true)
                .start();
        String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IllegalStateException(said);
        }
        System.out.printf("%-26s %12s%n", "of the JVM", "KiB");
        said.lines().forEach(line -> {
            Matcher category = CATEGORY.matcher(line.strip());
            if (category.matches() && Long.parseLong(category.group(2)) >= 100) {
                System.out.printf("%-26s %12s%n", category.group(1), category.group(2));
            }
        });
    }
}
