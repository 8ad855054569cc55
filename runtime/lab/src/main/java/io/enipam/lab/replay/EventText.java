package io.enipam.lab.replay;

import io.enipam.emulator.api.Action;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An event's keys and values, as they were typed. What is wrong with one is an IllegalArgumentException that says what would be right. */
final class EventText {
    static final Pattern SHAPE = Pattern.compile("([a-z-]+)\\((.*)\\)");

    private static final Pattern TIME = Pattern.compile("([0-9]{1,7})(s|m|h|d)");
    private static final Map<String, Long> SECONDS = Map.of("s", 1L, "m", 60L, "h", 3600L, "d", 86_400L);
    private static final Duration LONGEST = Duration.ofDays(31);

    private final String text;
    private final Map<String, String> values = new TreeMap<>();

    /** @param inside what stands between the parentheses */
    EventText(String text, String inside) {
        this.text = text;
        for (String pair : inside.split(",", -1)) {
            String[] both = pair.split("=", -1);
            if (both.length != 2 || both[0].isBlank() || both[1].isBlank()) {
                throw wrong("'" + pair.strip() + "' is no key=value");
            }
            if (values.put(both[0].strip(), both[1].strip()) != null) {
                throw wrong("'" + both[0].strip() + "' is given twice");
            }
        }
    }

    void requireKnown(String... known) {
        TreeSet<String> others = new TreeSet<>(values.keySet());
        List.of(known).forEach(others::remove);
        if (!others.isEmpty()) {
            throw wrong("there is no '" + others.first() + "'; there are " + String.join(", ", known));
        }
    }

    /** An action of the cloud. */
    String api(String key) {
        String api = value(key);
        if (!Action.names().contains(api)) {
            throw wrong("there is no action " + api + "; there are " + String.join(", ", Action.names()));
        }
        return api;
    }

    int whole(String key, int least, int most) {
        String value = value(key);
        if (!value.matches("[0-9]{1,8}") || Integer.parseInt(value) < least || Integer.parseInt(value) > most) {
            throw wrong(key + " is '" + value + "'; give a whole number from " + least + " to " + most);
        }
        return Integer.parseInt(value);
    }

    /** A time that is more than nothing. */
    Duration span(String key) {
        Duration span = time(key);
        if (span.isZero()) {
            throw wrong(key + " is '" + value(key) + "', and has to be more than 0");
        }
        return span;
    }

    Duration time(String key) {
        Matcher time = TIME.matcher(value(key));
        Duration read = time.matches()
                ? Duration.ofSeconds(Long.parseLong(time.group(1)) * SECONDS.get(time.group(2)))
                : Duration.ofDays(LONGEST.toDays() + 1);
        if (read.compareTo(LONGEST) > 0) {
            throw wrong(key + " is '" + value(key) + "'; give a time up to 31d, as in 90s, 5m or 2h");
        }
        return read;
    }

    String valueOr(String key, String other) {
        return values.getOrDefault(key, other);
    }

    private String value(String key) {
        String value = values.get(key);
        if (value == null) {
            throw wrong("'" + key + "' is missing");
        }
        return value;
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(what + " (in '" + text + "')");
    }
}
