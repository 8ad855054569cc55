package io.enipam.sdk;

import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A number that a plugin shows: a constant. Immutable and thread-safe.
 *
 * @param name {@code [a-z][a-z0-9]*(_[a-z0-9]+)*}, at most 60 characters, with the unit last as Prometheus has it
 *     ({@code wait_seconds}); not one that ends in {@code total}, {@code info}, {@code bucket}, {@code count}, {@code sum} or
 *     {@code created}, which Prometheus gives a meaning
 * @param help its meaning, one sentence with a full stop
 * @param labels names of its labels, at most three, as {@code name}; not {@code plugin}
 */
public record Meter(String name, String help, List<String> labels) {
    private static final String WORDS = "[a-z][a-z0-9]*(_[a-z0-9]+)*";
    private static final Pattern NAME =
            Pattern.compile("(?=.{1,60}$)(?!(.*_)?(total|info|bucket|count|sum|created)$)" + WORDS);
    private static final Pattern HELP = Pattern.compile("[^\\p{Cntrl}]{1,200}");
    private static final Pattern LABEL = Pattern.compile("(?=.{1,30}$)(?!plugin$|le$|quantile$)" + WORDS);

    public Meter {
        labels = List.copyOf(labels);
        Text.require("meter", name, NAME);
        Text.require("help of a meter", help, HELP);
        labels.forEach(label -> Text.require("label", label, LABEL));
        if (labels.size() > 3 || new HashSet<>(labels).size() < labels.size()) {
            throw new IllegalArgumentException("a meter has three labels at most, all different, got " + labels);
        }
    }

    public static Meter of(String name, String help, String... labels) {
        return new Meter(name, help, List.of(labels));
    }
}
