package io.enipam.observability.metrics;

import io.enipam.observability.metrics.Metric.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Metrics of one subject, a row each: the declaration ({@link Metric#of}), and how a scrape reads it. Built once, then
 * thread-safe.
 */
final class MetricGroup {
    private final String name;
    private final List<Row> rows = new ArrayList<>();
    private BiConsumer<Sheet, Reading> further = (sheet, now) -> {};

    private record Row(Metric metric, Reader reader) {}

    /** Reads a metric now. An exception skips only the rest of its group. */
    @FunctionalInterface
    interface Reader {
        void read(Sheet.Series out, Reading now) throws Exception;
    }

    /** Reads a metric without labels. */
    @FunctionalInterface
    interface Value {
        double read(Reading now) throws Exception;
    }

    /** @param name the group's subject, one or two words */
    MetricGroup(String name) {
        this.name = name;
    }

    MetricGroup with(Kind kind, String series, String help, Reader reader) {
        rows.add(new Row(Metric.of(kind, series, help), reader));
        return this;
    }

    MetricGroup gauge(String series, String help, Reader reader) {
        return with(Kind.GAUGE, series, help, reader);
    }

    MetricGroup gauge(String series, String help, Value value) {
        return gauge(series, help, (out, now) -> out.put(value.read(now)));
    }

    MetricGroup counter(String series, String help, Reader reader) {
        return with(Kind.COUNTER, series, help, reader);
    }

    MetricGroup counter(String series, String help, Value value) {
        return counter(series, help, (out, now) -> out.put(value.read(now)));
    }

    MetricGroup histogram(String series, String help, Reader reader) {
        return with(Kind.HISTOGRAM, series, help, reader);
    }

    String name() {
        return name;
    }

    List<Metric> metrics() {
        return rows.stream().map(Row::metric).toList();
    }

    /** Reads metrics that are not known before; not in the reference. */
    MetricGroup further(BiConsumer<Sheet, Reading> reader) {
        further = reader;
        return this;
    }

    void collect(Sheet sheet, Reading now) throws Exception {
        for (Row row : rows) {
            row.reader().read(sheet.series(row.metric()), now);
        }
        further.accept(sheet, now);
    }

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** A series for each constant: 1 for the current one, else 0. */
    static <E extends Enum<E>> void oneOf(Sheet.Series out, E current, String... labels) {
        for (E constant : current.getDeclaringClass().getEnumConstants()) {
            out.put(
                    constant == current,
                    Stream.concat(Arrays.stream(labels), Stream.of(lower(constant)))
                            .toArray(String[]::new));
        }
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
        lines.addAll(List.of(
                "",
                "Extensions of plugins show metrics of their own as `enipam_plugin_ID_NAME`, with `_total` behind a counter; dashes of",
                "the id are underscores. Each has the label `plugin`, and up to three of the plugin's own with 50 combinations of",
                "values; what is beyond counts under `other`."));
        section(lines, "scrape", Scrape.OWN);
        return lines;
    }

    private static void section(List<String> lines, String title, List<Metric> metrics) {
        lines.addAll(List.of("", "## " + title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1), ""));
        for (Metric metric : metrics) {
            String labels =
                    metric.labels().stream().map(label -> ", `" + label + "`").collect(Collectors.joining());
            lines.add("- `" + metric.name() + "` (" + lower(metric.kind()) + labels + ")");
            lines.add("  " + metric.help());
        }
    }
}
