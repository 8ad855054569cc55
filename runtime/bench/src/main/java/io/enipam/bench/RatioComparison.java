package io.enipam.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Ratios to a peer, beside those of before. One may grow by a third: that is more than a busy machine changes a median of
 * both, and less than a change for the worse that a user would feel.
 *
 * @param rows ordered by name
 */
record RatioComparison(List<Row> rows) {
    static final double ALLOWANCE = 4 / 3.0;

    RatioComparison {
        rows = List.copyOf(rows);
    }

    /** What is found of one ratio. */
    enum Verdict {
        OK,
        WORSE,
        /** It was not recorded. */
        NEW,
        /** It was recorded, and the benchmark did not report it. */
        MISSING
    }

    /** One ratio: as it was recorded, and as it is; at least one of the two. */
    record Row(String name, Optional<Double> was, Optional<Double> is) {
        /** The most that it may be; empty if it was not recorded. */
        Optional<Double> limit() {
            return was.map(before -> before * ALLOWANCE);
        }

        Verdict verdict() {
            if (was.isEmpty()) {
                return Verdict.NEW;
            }
            if (is.isEmpty()) {
                return Verdict.MISSING;
            }
            return is.get() > limit().orElseThrow() ? Verdict.WORSE : Verdict.OK;
        }
    }

    static RatioComparison of(Map<String, Double> was, Map<String, Double> is) {
        TreeSet<String> names = new TreeSet<>(was.keySet());
        names.addAll(is.keySet());
        return new RatioComparison(names.stream()
                .map(name -> new Row(name, Optional.ofNullable(was.get(name)), Optional.ofNullable(is.get(name))))
                .toList());
    }

    boolean isGood() {
        return rows.stream().allMatch(row -> row.verdict() == Verdict.OK || row.verdict() == Verdict.NEW);
    }

    /** A line for each, with a title. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format("%-42s %9s %9s %9s", "ratio to the peer", "was", "is", "limit"));
        for (Row row : rows) {
            lines.add(String.format(
                    "%-42s %9s %9s %9s  %s",
                    row.name(), text(row.was()), text(row.is()), text(row.limit()), row.verdict()));
        }
        return lines;
    }

    private static String text(Optional<Double> ratio) {
        return ratio.map(value -> String.format(Locale.ROOT, "%.3f", value)).orElse("-");
    }
}
