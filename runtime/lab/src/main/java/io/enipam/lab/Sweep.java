package io.enipam.lab;

import io.enipam.lab.replay.ReplayResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Watermarks that were replayed, and which of them are worth having: waiting less costs addresses that are idle.
 *
 * @param yours the watermarks in force
 * @param points all that were replayed, yours among them
 */
record Sweep(Marks yours, List<Point> points) {
    /** More replays than this take longer than somebody waits; the grid is then coarser. */
    static final int MOST = 40;

    Sweep {
        points = List.copyOf(points);
    }

    /** Two watermarks, the lower one no higher than the upper one. */
    record Marks(int min, int max) {
        @Override
        public String toString() {
            return "min=" + min + ",max=" + max;
        }
    }

    /** What came of two watermarks. */
    record Point(Marks marks, ReplayResult result) {
        double waiting() {
            return result.waits().meanMillis();
        }

        double idle() {
            return result.addresses().idleHours();
        }

        /** Whether it is no worse than another one in waiting and in idle addresses, and better in one of them. */
        boolean dominates(Point other) {
            return waiting() <= other.waiting()
                    && idle() <= other.idle()
                    && (waiting() < other.waiting() || idle() < other.idle());
        }
    }

    /** Both ends of {@code A..B}, or of one number. */
    record Range(int from, int to) {
        private static final int HIGHEST = 10_000;

        static Range parse(String text) {
            String[] ends = text.split("\\.\\.", -1);
            if (ends.length > 2 || !text.matches("[0-9]{1,5}(\\.\\.[0-9]{1,5})?")) {
                throw new IllegalArgumentException("'" + text + "' is no range; write A..B, as in 0..20");
            }
            Range range = new Range(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
            if (range.from > range.to || range.to > HIGHEST) {
                throw new IllegalArgumentException("'" + text
                        + "' is no range; it begins no later than it ends, and ends at " + HIGHEST + " at most");
            }
            return range;
        }
    }

    /**
     * The watermarks to replay: both ends of both ranges, and between them so many steps that there are no more than {@link #MOST}.
     *
     * @param step between two values; 0 for the least that keeps within that number
     */
    static List<Marks> grid(Range min, Range max, int step) {
        for (int coarse = Math.max(1, step); ; coarse++) {
            List<Marks> grid = new ArrayList<>();
            for (int low : values(min, coarse)) {
                for (int high : values(max, coarse)) {
                    if (low <= high) {
                        grid.add(new Marks(low, high));
                    }
                }
            }
            if (grid.isEmpty()) {
                throw new IllegalArgumentException(
                        "no value of --min is within one of --max; choose lower ones of --min");
            }
            if (step > 0 || grid.size() <= MOST) {
                return grid;
            }
        }
    }

    private static List<Integer> values(Range range, int step) {
        List<Integer> values = new ArrayList<>();
        for (int value = range.from; value < range.to; value += step) {
            values.add(value);
        }
        values.add(range.to);
        return values;
    }

    /** Those that no other one dominates, from the least waiting to the least idle. */
    List<Point> front() {
        return points.stream()
                .filter(point -> points.stream().noneMatch(other -> other.dominates(point)))
                .sorted(Comparator.comparingDouble(Point::waiting).thenComparingDouble(Point::idle))
                .toList();
    }

    private Point here() {
        return points.stream()
                .filter(point -> point.marks().equals(yours))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the watermarks in force were not replayed"));
    }

    /** Where the watermarks in force are among the others, in a sentence. */
    String place() {
        List<Point> better =
                front().stream().filter(point -> point.dominates(here())).toList();
        if (better.isEmpty()) {
            return "Your setting is here: " + told(here())
                    + "; none of the others is better in waiting and in idle addresses.";
        }
        Point idlest = least(better, Point::idle);
        Point fastest = least(better, Point::waiting);
        String all = told(fastest) + (idlest.equals(fastest) ? "" : ", and " + told(idlest));
        return "Your setting is here: " + told(here()) + "; "
                + (idlest.equals(fastest) ? "this one dominates it: " : "these two dominate it: ") + all + ".";
    }

    private static Point least(List<Point> points, ToDoubleFunction<Point> of) {
        return points.stream().min(Comparator.comparingDouble(of)).orElseThrow();
    }

    private static String told(Point point) {
        return String.format(
                Locale.ROOT,
                "%s (%.0f ms of waiting a pod, %.1f idle hours)",
                point.marks(),
                point.waiting(),
                point.idle());
    }

    /**
     * Which watermarks to take, in three sentences.
     *
     * @param bound on the wait of 99 of a hundred pods
     */
    List<String> advice(Duration bound, Duration length) {
        Optional<Point> within = points.stream()
                .filter(point -> point.result().waits().p99Millis() <= bound.toMillis())
                .min(Comparator.comparingDouble(Point::idle));
        Point take = within.orElseGet(() -> points.stream()
                .min(Comparator.<Point>comparingLong(
                                point -> point.result().waits().p99Millis())
                        .thenComparingDouble(Point::idle))
                .orElseThrow());
        String why = within.isPresent()
                ? "of what was replayed it keeps the fewest addresses idle among those with which 99 of 100 pods wait "
                        + seconds(bound.toMillis()) + " at most"
                : "with nothing that was replayed do 99 of 100 pods wait only " + seconds(bound.toMillis())
                        + ", and with this one they wait the least";
        Point here = here();
        if (take.equals(here)) {
            return List.of(
                    "Keep pool.min_idle " + take.marks().min() + " and pool.max_idle "
                            + take.marks().max() + ": " + why + ".",
                    "With them " + waits(take) + ".",
                    "For that " + costs(take, length) + ".");
        }
        return List.of(
                "Set pool.min_idle to " + take.marks().min() + " and pool.max_idle to "
                        + take.marks().max() + ": " + why + ".",
                "With them " + waits(take) + "; with " + yours + ", as you have it, " + waits(here) + ".",
                "For that " + costs(take, length) + "; as you have it, " + costs(here, length) + ".");
    }

    private static String waits(Point point) {
        return String.format(
                Locale.ROOT,
                "%.1f %% of the pods would have waited, 99 of 100 for %s at most",
                100 * point.result().waits().share(),
                seconds(point.result().waits().p99Millis()));
    }

    private static String costs(Point point, Duration length) {
        double hours = length.toMillis() / 3_600_000.0;
        return String.format(
                Locale.ROOT,
                "%.1f addresses would have been idle on average, and the cloud been called %d times",
                point.idle() / hours,
                point.result().cloud().total());
    }

    private static String seconds(long millis) {
        return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
}
