package io.enipam.observability.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** All metrics that enipam declares, and the table of them for people. */
final class Catalogue {
    private Catalogue() {}

    /** What the scrape says of itself. */
    static List<Metric> ofTheScrape() {
        return List.of(Scrape.PART_FAILURES, Scrape.DROPPED, Scrape.DURATION);
    }

    /** The lines of a document in Markdown. */
    static List<String> markdown(List<Part> parts) {
        List<String> lines = new ArrayList<>();
        lines.add("# Metrics");
        lines.add("");
        lines.add(
                "Each metric with its type and its labels. Beside these there are `jvm_memory_*`, `jvm_gc_*`, `jvm_threads_*` and `process_*` of");
        lines.add(
                "the Prometheus client for Java. Times are in seconds; those under terway's names are in milliseconds, as terway's.");
        parts.forEach(part -> section(lines, part.name(), part.metrics()));
        section(lines, "scrape", ofTheScrape());
        return lines;
    }

    private static void section(List<String> lines, String title, List<Metric> metrics) {
        lines.add("");
        lines.add("## " + title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1));
        lines.add("");
        for (Metric metric : metrics) {
            String labels =
                    metric.labels().stream().map(label -> ", `" + label + "`").collect(Collectors.joining());
            lines.add("- `" + metric.name() + "` (" + Words.lower(metric.kind()) + labels + ")");
            lines.add("  " + metric.help());
        }
    }
}
