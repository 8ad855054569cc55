package io.enipam.bench.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * What one process took.
 *
 * @param firstMicros from exec to the first byte that it printed
 * @param micros from exec to its end
 * @param cpuMillis of all its threads: what a busy machine changes less; read shortly before the end, in steps of 10 ms
 * @param rssKib the most memory it had
 */
record ProcessRun(long firstMicros, long micros, long cpuMillis, long rssKib) {
    private static final long TICK_MILLIS = 10;

    static ProcessRun of(Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        long began = System.nanoTime();
        Process process = builder.start();
        Watcher watcher = new Watcher(process);
        watcher.start();
        long first;
        try (InputStream out = process.getInputStream()) {
            int printed = out.read();
            first = System.nanoTime() - began;
            if (printed < 0) {
                throw new IllegalStateException("nothing was printed by " + command);
            }
            out.transferTo(java.io.OutputStream.nullOutputStream());
        }
        int status = process.waitFor();
        long all = System.nanoTime() - began;
        watcher.join();
        if (status != 0) {
            throw new IllegalStateException("status " + status + " of " + command);
        }
        return new ProcessRun(first / 1_000, all / 1_000, watcher.cpuMillis, watcher.rssKib);
    }

    /** The middle one of many. */
    static long median(List<ProcessRun> runs, ToLongFunction<ProcessRun> figure) {
        return runs.stream()
                .mapToLong(figure)
                .sorted()
                .skip(runs.size() / 2)
                .findFirst()
                .orElseThrow();
    }

    static long least(List<ProcessRun> runs, ToLongFunction<ProcessRun> figure) {
        return runs.stream()
                .min(Comparator.comparingLong(figure))
                .map(figure::applyAsLong)
                .orElseThrow();
    }

    /** A number of the kernel's on a process, proc(5), such as {@code VmRSS} in KiB; empty if it has none, as a process that has ended. */
    static OptionalLong status(Process process, String field) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst();
    }

    /** Reads what the kernel counts of a process, until it is gone. Its fields are read after it has been joined. */
    private static final class Watcher extends Thread {
        private final Process process;
        private long cpuMillis;
        private long rssKib;

        Watcher(Process process) {
            super("watcher");
            this.process = process;
        }

        @Override
        public void run() {
            Path proc = Path.of("/proc/" + process.pid());
            while (process.isAlive()) {
                try {
                    String stat = Files.readString(proc.resolve("stat"));
                    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    cpuMillis = (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_MILLIS;
                    status(process, "VmHWM").ifPresent(kib -> rssKib = kib);
                    Thread.sleep(5);
                } catch (IOException gone) {
                    return;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
