package io.enipam.bench.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
                    Files.readAllLines(proc.resolve("status")).stream()
                            .filter(line -> line.startsWith("VmHWM:"))
                            .forEach(line -> rssKib = Long.parseLong(line.replaceAll("\\D", "")));
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
