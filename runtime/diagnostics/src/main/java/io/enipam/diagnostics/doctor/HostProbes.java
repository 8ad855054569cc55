package io.enipam.diagnostics.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.observability.web.Liveness.Deadlocks;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What the JDK, /proc and /sys report about the daemon's process, its disk and the kernel's table of connections. */
public final class HostProbes {
    private HostProbes() {}

    /**
     * @param heapKept bytes of the heap that the last garbage collections could not free
     * @param heapMost what the heap may have at most
     * @param deadlocked names of threads that wait for each other for ever
     * @param cgroup what its control group uses and may use, where there is a limit
     */
    public record ProcessState(
            long files,
            long mostFiles,
            long heapKept,
            long heapMost,
            List<String> deadlocked,
            Optional<Cgroup> cgroup) {
        /** Bytes without what the kernel drops first, and the limit. */
        public record Cgroup(long used, long limit) {}

        public static ProcessState ofThis() {
            UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return new ProcessState(
                    system.getOpenFileDescriptorCount(),
                    system.getMaxFileDescriptorCount(),
                    keptNow(),
                    Runtime.getRuntime().maxMemory(),
                    Deadlocks.names(),
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

    /**
     * @param usable bytes that the daemon may still write
     * @param inodes empty if the file system has no such limit, or it is unknown
     */
    public record DiskSpace(Path directory, long total, long usable, Optional<Inodes> inodes) {
        /** How many files there may be, and how many more. */
        public record Inodes(long total, long free) {}

        public static DiskSpace of(Path directory) throws IOException, InterruptedException {
            FileStore store = Files.getFileStore(directory);
            return new DiskSpace(directory, store.getTotalSpace(), store.getUsableSpace(), inodesOf(directory));
        }

        /** The JDK does not report inodes; stat(1) of coreutils does, where there is one. */
        private static Optional<Inodes> inodesOf(Path directory) throws InterruptedException {
            try {
                Process stat = new ProcessBuilder("stat", "-f", "-c", "%c %d", directory.toString())
                        .redirectErrorStream(true)
                        .start();
                // waited for before it is read: its few words fit into the pipe, and one that hangs says none
                if (!stat.waitFor(3, TimeUnit.SECONDS) || stat.exitValue() != 0) {
                    stat.destroyForcibly();
                    return Optional.empty();
                }
                try (BufferedReader out = stat.inputReader()) {
                    String[] counts = String.valueOf(out.readLine()).split(" ");
                    Inodes inodes = new Inodes(Long.parseLong(counts[0]), Long.parseLong(counts[1]));
                    return inodes.total() > 0 ? Optional.of(inodes) : Optional.empty();
                }
            } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
                return Optional.empty();
            }
        }
    }

    /**
     * What the kernel remembers of connections.
     *
     * @param timeouts how long it remembers one that is over, by the sysctl's name, ordered by it
     * @param entries how many it remembers, and may at most
     */
    public record Conntrack(Map<String, Duration> timeouts, Optional<Entries> entries) {
        private static final String[] OVER = {
            "tcp_timeout_time_wait", "tcp_timeout_close_wait", "tcp_timeout_fin_wait",
            "udp_timeout", "udp_timeout_stream", "icmp_timeout"
        };

        public record Entries(long count, long most) {}

        /** @param netfilter {@code /proc/sys/net/netfilter} */
        public static Conntrack read(Path netfilter) {
            Map<String, Duration> timeouts = new TreeMap<>();
            for (String over : OVER) {
                String name = "nf_conntrack_" + over;
                number(netfilter.resolve(name)).ifPresent(seconds -> timeouts.put(name, Duration.ofSeconds(seconds)));
            }
            if (timeouts.isEmpty()) {
                throw new MissingFact("the kernel tracks no connections here: there is no " + netfilter);
            }
            Optional<Long> most = number(netfilter.resolve("nf_conntrack_max"));
            return new Conntrack(
                    timeouts,
                    number(netfilter.resolve("nf_conntrack_count"))
                            .flatMap(count -> most.map(limit -> new Entries(count, limit))));
        }

        private static Optional<Long> number(Path file) {
            try {
                // by lines: of a sysctl the kernel tells what the first read takes, and readString begins with one byte
                return Optional.of(Long.valueOf(Files.readAllLines(file).get(0).strip()));
            } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
                return Optional.empty(); // a kernel without it
            }
        }
    }
}
