package io.enipam.observability.history;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What this process takes, from proc(5) and the JVM; what cannot be read is 0.
 *
 * @param rss resident memory, in bytes
 * @param heapUsed used in the heap, in bytes
 * @param heapMax the most that the heap may have, in bytes
 * @param threads how many
 * @param fds open file descriptors
 * @param cpu processor time used since the start
 */
public record ProcessGauge(long rss, long heapUsed, long heapMax, int threads, int fds, Duration cpu) {
    private static final long KIB = 1024;

    /** Reads it now: a few small files of proc(5), no disk. */
    static ProcessGauge read() {
        return read(Path.of("/proc/self"));
    }

    static ProcessGauge read(Path proc) {
        Runtime jvm = Runtime.getRuntime();
        long rss = 0;
        int threads = 0;
        try {
            for (String line : Files.readAllLines(proc.resolve("status"))) {
                if (line.startsWith("VmRSS:")) {
                    rss = number(line) * KIB;
                } else if (line.startsWith("Threads:")) {
                    threads = (int) number(line);
                }
            }
        } catch (IOException | RuntimeException unreadable) {
            // a gauge that cannot be read must not cost the sample
        }
        return new ProcessGauge(
                rss,
                jvm.totalMemory() - jvm.freeMemory(),
                jvm.maxMemory(),
                threads,
                open(proc.resolve("fd")),
                ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }

    private static int open(Path descriptors) {
        try (DirectoryStream<Path> each = Files.newDirectoryStream(descriptors)) {
            int count = 0;
            for (Path ignored : each) {
                count++;
            }
            // the look itself has one open
            return Math.max(0, count - 1);
        } catch (IOException | RuntimeException unreadable) {
            return 0;
        }
    }

    ProcessGauge withCpu(Duration used) {
        return new ProcessGauge(rss, heapUsed, heapMax, threads, fds, used);
    }
}
