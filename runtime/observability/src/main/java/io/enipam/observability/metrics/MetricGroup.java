package io.enipam.observability.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Metrics of one subject, a row each: the declaration, and how a scrape reads it. Built once, then thread-safe. */
final class MetricGroup {
    private final String name;
    private final List<Row> rows = new ArrayList<>();

    private record Row(Metric metric, Reader reader) {}

    /** Reads a metric now. An exception skips only the rest of its group. */
    @FunctionalInterface
    interface Reader {
        void read(Sheet.Series out, Reading now) throws Exception;
    }

    /** @param name the group's subject, one or two words */
    MetricGroup(String name) {
        this.name = name;
    }

    MetricGroup with(Metric metric, Reader reader) {
        rows.add(new Row(metric, reader));
        return this;
    }

    String name() {
        return name;
    }

    List<Metric> metrics() {
        return rows.stream().map(Row::metric).toList();
    }

    /** Reads all rows in order. */
    void collect(Sheet sheet, Reading now) throws Exception {
        for (Row row : rows) {
            row.reader().read(sheet.series(row.metric()), now);
        }
    }

    /** A constant as a label value. */
    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** The reference of all metrics, as lines of Markdown. */
    static List<String> reference(List<MetricGroup> groups) {
        List<String> lines = new ArrayList<>();
        lines.add("# Metrics");
        lines.add("");
        lines.add(
                "Each metric with its type and its labels. Beside these there are `jvm_memory_*`, `jvm_gc_*`, `jvm_threads_*` and `process_*` of");
        lines.add(
                "the Prometheus client for Java. Times are in seconds; those under terway's names are in milliseconds, as terway's.");
        groups.forEach(group -> section(lines, group.name(), group.metrics()));
        section(lines, "scrape", Scrape.OWN);
        return lines;
    }

    private static void section(List<String> lines, String title, List<Metric> metrics) {
        lines.add("");
        lines.add("## " + title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1));
        lines.add("");
        for (Metric metric : metrics) {
            String labels =
                    metric.labels().stream().map(label -> ", `" + label + "`").collect(Collectors.joining());
            lines.add("- `" + metric.name() + "` (" + lower(metric.kind()) + labels + ")");
            lines.add("  " + metric.help());
        }
    }
}
