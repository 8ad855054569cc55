package io.enipam.observability.metrics;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a scraper makes of a page: strict, so that what Prometheus would refuse is refused here. */
final class Exposition {
    private static final Pattern LINE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{((?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\",?)*)})?"
                    + " (\\S+)");
    private static final Pattern META = Pattern.compile("# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)");

    private final Map<String, Double> series = new LinkedHashMap<>();
    private final Map<String, String> types = new TreeMap<>();
    private final Map<String, String> helps = new TreeMap<>();

    Exposition(String text) {
        if (!text.endsWith("\n")) {
            throw new IllegalArgumentException("the last line has no end");
        }
        for (String line : text.split("\n", -1)) {
            read(line);
        }
    }

    private void read(String line) {
        if (line.isEmpty() || line.equals("# EOF")) {
            return;
        }
        Matcher meta = META.matcher(line);
        if (meta.matches()) {
            Map<String, String> book = meta.group(1).equals("TYPE") ? types : helps;
            if (!meta.group(1).equals("UNIT") && book.put(meta.group(2), meta.group(3)) != null) {
                throw new IllegalArgumentException("told twice: " + line);
            }
            return;
        }
        Matcher sample = LINE.matcher(line);
        if (!sample.matches()) {
            throw new IllegalArgumentException("no line of the format: " + line);
        }
        String labels = sample.group(2) == null
                ? ""
                : Arrays.stream(sample.group(2).split(",(?=[a-zA-Z_])"))
                        .sorted()
                        .collect(Collectors.joining(","));
        String key = labels.isEmpty() ? sample.group(1) : sample.group(1) + "{" + labels + "}";
        double value = Double.parseDouble(sample.group(3).replace("+Inf", "Infinity"));
        if (series.put(key, value) != null) {
            throw new IllegalArgumentException("a series twice: " + key);
        }
    }

    /** A series' value; its labels in the order of their names. */
    double value(String key) {
        Double value = series.get(key);
        if (value == null) {
            throw new IllegalArgumentException("no series " + key + " among " + series.keySet());
        }
        return value;
    }

    Map<String, Double> series() {
        return series;
    }

    /** The names of the series, without labels. */
    Set<String> names() {
        return series.keySet().stream()
                .map(key -> key.replaceFirst("\\{.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The type of each metric, by its name there. */
    Map<String, String> types() {
        return types;
    }

    Map<String, String> helps() {
        return helps;
    }
}
