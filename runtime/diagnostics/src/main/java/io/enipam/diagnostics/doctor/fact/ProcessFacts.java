package io.enipam.diagnostics.doctor.fact;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The daemon's process.
 *
 * @param heapKept bytes of the heap that the last garbage collections could not free
 * @param heapMost what the heap may have at most
 * @param deadlocked names of threads that wait for each other for ever
 * @param cgroup what its control group uses and may use, where there is a limit
 */
public record ProcessFacts(
        long files, long mostFiles, long heapKept, long heapMost, List<String> deadlocked, Optional<Cgroup> cgroup) {
    public ProcessFacts {
        deadlocked = List.copyOf(deadlocked);
    }

    /** Bytes without what the kernel drops first, and the limit. */
    public record Cgroup(long used, long limit) {}

    /** This process, now. */
    public static ProcessFacts ofThis() {
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new ProcessFacts(
                system.getOpenFileDescriptorCount(),
                system.getMaxFileDescriptorCount(),
                keptNow(),
                Runtime.getRuntime().maxMemory(),
                deadlockedNow(),
                cgroupNow());
    }

    private static long keptNow() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getCollectionUsage)
                .flatMap(Stream::ofNullable)
                .mapToLong(MemoryUsage::getUsed)
                .sum();
    }

    private static List<String> deadlockedNow() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] ids = threads.findDeadlockedThreads();
        return ids == null
                ? List.of()
                : Arrays.stream(threads.getThreadInfo(ids))
                        .flatMap(Stream::ofNullable)
                        .map(ThreadInfo::getThreadName)
                        .toList();
    }

    /** The unified hierarchy (cgroup v2), mounted where a container sees its own. */
    private static Optional<Cgroup> cgroupNow() {
        try {
            Path group = Path.of("/sys/fs/cgroup");
            String limit = Files.readString(group.resolve("memory.max")).strip();
            long used = Long.parseLong(
                    Files.readString(group.resolve("memory.current")).strip());
            long droppable = Files.readAllLines(group.resolve("memory.stat")).stream()
                    .filter(line -> line.startsWith("inactive_file "))
                    .mapToLong(line -> Long.parseLong(line.substring("inactive_file ".length())))
                    .sum();
            return limit.equals("max")
                    ? Optional.empty()
                    : Optional.of(new Cgroup(used - droppable, Long.parseLong(limit)));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty(); // no such hierarchy here, so no limit of it
        }
    }
}
