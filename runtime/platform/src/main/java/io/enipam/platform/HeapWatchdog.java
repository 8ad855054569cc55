package io.enipam.platform;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.enipam.engine.concurrent.DaemonThreads;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Ends a process whose heap stays full: a daemon that only collects garbage looks alive but answers no calls, while a
 * restarted one finishes its pending work from the journal.
 *
 * <p>The JVM's own {@code -XX:+ExitOnOutOfMemoryError} is not used. It ends the process after one oversized request
 * from any caller: a plugin, whose errors must not affect others, or a damaged checkpoint, which the database replaces
 * by the one before. The daemon would fail again at its next start. And with the serial collector a heap that is almost
 * full causes no such error for a long time. Therefore the criterion is the result of full collections: {@value #TIMES}
 * of them in {@value #WITHIN_SECONDS} seconds that leave more than {@value #FULL_PERCENT} percent.
 *
 * <p>The thread reads a counter that the JVM updates even without memory for its notifications, allocates nothing after
 * its start, and outlives an {@link OutOfMemoryError} of its own.
 */
public final class HeapWatchdog {
    static final int FULL_PERCENT = 97;
    static final int TIMES = 5;
    static final int WITHIN_SECONDS = 60;
    /** Exit status of a process whose heap was full; the same as that of the JVM's own option. */
    static final int STATUS = 3;

    private static final int LOOK_SECONDS = 2;

    /** The counter's latest readings; a ring. */
    private final long[] counts = new long[WITHIN_SECONDS / LOOK_SECONDS];

    private final byte[] lastWords =
            ("enipamd: the heap is full and stays so; ending, to start anew. ENIPAM_HEAP gives it"
                            + " more, ENIPAM_HEAP_DUMP=DIR keeps what is in it\n")
                    .getBytes(StandardCharsets.UTF_8);
    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);
    private final HotSpotDiagnosticMXBean diagnostic =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    private HeapWatchdog() {}

    /** Starts in the background: loading the JVM's management takes some milliseconds. */
    public static void begin() {
        DaemonThreads.named("heap-watch")
                .newThread(() -> new HeapWatchdog().run())
                .start();
    }

    private void run() {
        MemoryPoolMXBean old = oldGeneration();
        if (old == null) {
            return; // a collector that keeps no such account
        }
        dumpFile(); // loads what end() needs, while there is memory
        counts[0] = old.getCollectionUsageThresholdCount();
        old.setCollectionUsageThreshold(old.getUsage().getMax() / 100 * FULL_PERCENT);
        for (int look = 0; ; look = (look + 1) % counts.length) {
            try {
                long count = old.getCollectionUsageThresholdCount();
                if (count - counts[look] >= TIMES) {
                    end();
                }
                counts[look] = count;
                Thread.sleep(LOOK_SECONDS * 1_000L);
            } catch (OutOfMemoryError e) {
                // the thread lives on: without it the process would stay full for ever
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static @Nullable MemoryPoolMXBean oldGeneration() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP
                        && pool.isCollectionUsageThresholdSupported()
                        && pool.isUsageThresholdSupported()
                        && pool.getUsage().getMax() > 0)
                .findFirst()
                .orElse(null);
    }

    private void end() {
        try {
            err.write(lastWords);
            Optional<Path> file = dumpFile();
            if (file.isPresent()) {
                diagnostic.dumpHeap(file.get().toString(), false);
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // the process ends even if the dump fails
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    /** The heap dump's file below the JVM's configured path; empty if the JVM is not to write one. */
    private Optional<Path> dumpFile() {
        return Boolean.parseBoolean(
                        diagnostic.getVMOption("HeapDumpOnOutOfMemoryError").getValue())
                ? Optional.of(Path.of(
                        diagnostic.getVMOption("HeapDumpPath").getValue(),
                        "enipamd-" + ProcessHandle.current().pid() + "-full.hprof"))
                : Optional.empty();
    }
}
