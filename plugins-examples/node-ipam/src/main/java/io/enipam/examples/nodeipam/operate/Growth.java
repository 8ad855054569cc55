package io.enipam.examples.nodeipam.operate;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * How fast a cluster grows, by when the nodes that it has were created. Nodes that are gone are not seen: where nodes are replaced all
 * the time it grows more slowly than this, so what follows is the earliest day. Immutable.
 *
 * @param perDay nodes a day; 0 where none came lately, and of a cluster that is younger than a week
 */
record Growth(double perDay) {
    /** What came before that says nothing of today. */
    private static final Duration LATELY = Duration.ofDays(30);

    /** The nodes that a cluster is made with say nothing of how it grows. */
    private static final Duration TELLING = Duration.ofDays(7);

    private static final Duration DAY = Duration.ofDays(1);
    private static final int CENTURY = 36_500;

    /** @param created when each node was, of those that say so */
    static Growth of(Collection<Instant> created, Instant now) {
        List<Instant> lately =
                created.stream().filter(at -> at.isAfter(now.minus(LATELY))).toList();
        if (lately.isEmpty()) {
            return new Growth(0);
        }
        // a cluster that is younger than that has grown since its first node came, which is no growth itself
        boolean young = lately.size() == created.size();
        Duration since =
                young ? Duration.between(lately.stream().min(Instant::compareTo).orElseThrow(), now) : LATELY;
        return since.compareTo(TELLING) < 0
                ? new Growth(0)
                : new Growth((double) (lately.size() - (young ? 1 : 0)) * DAY.toMillis() / since.toMillis());
    }

    /** The day on which so many are taken; empty where that is not within a hundred years. */
    Optional<LocalDate> full(int free, Instant now) {
        double days = perDay == 0 ? CENTURY : free / perDay;
        return days >= CENTURY
                ? Optional.empty()
                : Optional.of(LocalDate.ofInstant(now.plus(Duration.ofHours((long) (days * 24))), ZoneOffset.UTC));
    }

    /** For a table: {@code now}, {@code never}, or the day. */
    String shown(int free, Instant now) {
        return free == 0 ? "now" : full(free, now).map(LocalDate::toString).orElse("never");
    }
}
