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

    /** The kind of a metric. */
    public enum Kind {
        /** Goes up and down. */
        GAUGE,
        /** Only grows. */
        COUNTER,
        /** Only grows, under a name of terway's that is not allowed for a counter: its type is {@code untyped}. */
        UNTYPED,
        /** Buckets, sum and count. */
        HISTOGRAM,
        /** Always 1; the information is in its labels. */
        INFO
    }

    public Metric {
        labels = List.copyOf(labels);
        if ((kind == Kind.COUNTER) != name.endsWith(TOTAL) || (kind == Kind.INFO) != name.endsWith(INFO)) {
            throw new IllegalArgumentException("a metric of kind " + kind + " is not called " + name);
        }
    }

    static Metric gauge(String name, String help, String... labels) {
        return new Metric(name, Kind.GAUGE, help, List.of(labels));
    }

    static Metric counter(String name, String help, String... labels) {
        return new Metric(name, Kind.COUNTER, help, List.of(labels));
    }

    static Metric untyped(String name, String help, String... labels) {
        return new Metric(name, Kind.UNTYPED, help, List.of(labels));
    }

    static Metric histogram(String name, String help, String... labels) {
        return new Metric(name, Kind.HISTOGRAM, help, List.of(labels));
    }

    static Metric info(String name, String help, String... labels) {
        return new Metric(name, Kind.INFO, help, List.of(labels));
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
