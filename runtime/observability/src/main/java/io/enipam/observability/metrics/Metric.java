package io.enipam.observability.metrics;

import java.util.List;

/**
 * One metric, declared once.
 *
 * @param name in Prometheus; a counter's ends in {@code _total}
 * @param help its meaning, one sentence
 * @param labels names of its labels, in the order of their values
 */
public record Metric(String name, Kind kind, String help, List<String> labels) {
    private static final String TOTAL = "_total";
    private static final String INFO = "_info";

    public enum Kind {
        GAUGE,
        COUNTER,
        /** Only grows, under a name of terway's that is not allowed for a counter: its type is {@code untyped}. */
        UNTYPED,
        HISTOGRAM,
        /** Always 1; the information is in its labels. */
        INFO
    }

    public Metric {
        if ((kind == Kind.COUNTER) != name.endsWith(TOTAL) || (kind == Kind.INFO) != name.endsWith(INFO)) {
            throw new IllegalArgumentException("a metric of kind " + kind + " is not called " + name);
        }
    }

    /** @param series the name and its labels: <code>enipam_cloud_calls_total{api, outcome}</code> */
    static Metric of(Kind kind, String series, String help) {
        List<String> parts = List.of(series.split("[{}, ]+"));
        return new Metric(parts.get(0), kind, help, parts.subList(1, parts.size()));
    }

    /** The name for the library, which appends the suffix of the kind. */
    String stem() {
        return switch (kind) {
            case COUNTER -> name.substring(0, name.length() - TOTAL.length());
            case INFO -> name.substring(0, name.length() - INFO.length());
            default -> name;
        };
    }
}
