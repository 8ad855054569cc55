package io.enipam.acceptance;

import java.util.Collection;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Who did what when, so that an address that went wrong can be followed from its first owner on. Thread-safe. */
final class AddressHistory {
    private static final int MOST_LINES = 400_000;

    private final long start = System.nanoTime();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile int round;

    void round(int number) {
        round = number;
    }

    void tell(String who, String what) {
        double seconds = (System.nanoTime() - start) / 1e9;
        lines.add(String.format(Locale.ROOT, "%9.3f s  round %4d  %-8s  %s", seconds, round, who, what));
        if (count.incrementAndGet() > MOST_LINES) {
            lines.poll();
        }
    }

    /** The lines that name one of these, as whole words. */
    String of(Collection<String> names) {
        return lines.stream()
                .filter(line -> names.stream().anyMatch(name -> names(line, name)))
                .collect(Collectors.joining("\n"));
    }

    private static boolean names(String line, String name) {
        int at = line.indexOf(name);
        while (at >= 0) {
            int end = at + name.length();
            if (end == line.length() || line.charAt(end) == ' ' || line.charAt(end) == ',') {
                return true;
            }
            at = line.indexOf(name, end);
        }
        return false;
    }
}
