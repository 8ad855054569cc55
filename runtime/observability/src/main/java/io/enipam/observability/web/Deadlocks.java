package io.enipam.observability.web;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** Asks the JVM for threads that wait for each other. */
public final class Deadlocks {
    private static final int MOST_NAMES = 8;

    private Deadlocks() {}

    /** Their names; empty if there are none. */
    public static Optional<String> look() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] stuck = threads.findDeadlockedThreads();
        if (stuck == null) {
            return Optional.empty();
        }
        return Optional.of(stuck.length + " threads wait for each other: "
                + Arrays.stream(threads.getThreadInfo(stuck))
                        .filter(Objects::nonNull)
                        .map(ThreadInfo::getThreadName)
                        .limit(MOST_NAMES)
                        .collect(Collectors.joining(", ")));
    }
}
