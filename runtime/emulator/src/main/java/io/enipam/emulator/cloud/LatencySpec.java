package io.enipam.emulator.cloud;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long each kind of thing takes, from the shortest to the longest. Kinds are calls ({@code describe}, {@code create},
 * {@code attach}, {@code detach}, {@code delete}, {@code assign}, {@code unassign}, {@code modify}), passing states of an
 * ENI ({@code attaching}, {@code detaching}, {@code deleting}) and how late the metadata service is ({@code metadata}).
 *
 * @param ranges by kind; a kind that is absent takes no time
 */
public record LatencySpec(Map<String, Range> ranges) {
    /** Both ends included; 0 to 10 minutes. */
    public record Range(Duration least, Duration most) {
        static Range millis(long least, long most) {
            return new Range(Duration.ofMillis(least), Duration.ofMillis(most));
        }
    }

    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,7}(?:\\.[0-9]{1,3})?)(ms|s|m)");
    private static final Map<String, BigDecimal> MILLIS =
            Map.of("ms", BigDecimal.ONE, "s", BigDecimal.valueOf(1000), "m", BigDecimal.valueOf(60_000));

    /** The real cloud publishes no figures: these are inferred from how long its clients wait. */
    private static final Map<String, Range> REAL = real0();

    private static final Map<String, String> KIND_OF_ACTION = Map.of(
            "CreateNetworkInterface", "create",
            "AttachNetworkInterface", "attach",
            "DetachNetworkInterface", "detach",
            "DeleteNetworkInterface", "delete",
            "AssignPrivateIpAddresses", "assign",
            "AssignIpv6Addresses", "assign",
            "UnassignPrivateIpAddresses", "unassign",
            "UnassignIpv6Addresses", "unassign");

    public LatencySpec {
        ranges = Map.copyOf(ranges);
    }

    /** Everything at once. */
    public static LatencySpec none() {
        return new LatencySpec(Map.of());
    }

    /** As in the real cloud: calls take 50 ms to 1.5 s, an attach 2 to 5 s, metadata is up to 3 s late. */
    public static LatencySpec real() {
        return new LatencySpec(REAL);
    }

    /**
     * Reads {@code none}, {@code real}, or a list of {@code KIND=DURATION} and {@code KIND=DURATION..DURATION} with commas,
     * which may begin with one of the two words: what is not in the list is as the word says, {@code none} if there is no
     * word. A duration is a number with {@code ms}, {@code s} or {@code m}: {@code real,assign=200ms..400ms,attaching=1.5s}.
     *
     * @throws IllegalArgumentException with what is wrong and what is allowed
     */
    public static LatencySpec parse(String text) {
        Map<String, Range> ranges = new LinkedHashMap<>();
        String[] items = text.split(",", -1);
        for (int i = 0; i < items.length; i++) {
            String item = items[i].strip();
            if (i == 0 && item.equalsIgnoreCase("none")) {
                continue;
            }
            if (i == 0 && item.equalsIgnoreCase("real")) {
                ranges.putAll(REAL);
                continue;
            }
            int equals = item.indexOf('=');
            if (equals < 0) {
                throw wrong(text, "'" + item + "' is not KIND=DURATION");
            }
            String kind = item.substring(0, equals).strip();
            if (!REAL.containsKey(kind)) {
                throw wrong(text, "'" + kind + "' is no kind");
            }
            ranges.put(kind, range(text, item.substring(equals + 1).strip()));
        }
        return new LatencySpec(ranges);
    }

    /** The kind of call that an action is. */
    static String kindOf(String action) {
        boolean changes = action.startsWith("Modify") || action.endsWith("agResources") && !action.startsWith("List");
        return KIND_OF_ACTION.getOrDefault(action, changes ? "modify" : "describe");
    }

    private static Range range(String text, String durations) {
        int dots = durations.indexOf("..");
        Duration least = duration(text, dots < 0 ? durations : durations.substring(0, dots));
        Duration most = dots < 0 ? least : duration(text, durations.substring(dots + 2));
        if (most.compareTo(least) < 0) {
            throw wrong(text, "'" + durations + "' ends before it begins");
        }
        return new Range(least, most);
    }

    private static Duration duration(String text, String duration) {
        Matcher parts = DURATION.matcher(duration.strip());
        if (!parts.matches()) {
            throw wrong(text, "'" + duration + "' is not a duration such as 200ms, 1.5s or 2m");
        }
        Duration found = Duration.ofMillis(new BigDecimal(parts.group(1))
                .multiply(MILLIS.get(parts.group(2)))
                .longValue());
        if (found.compareTo(LONGEST) > 0) {
            throw wrong(text, "'" + duration + "' is more than 10m");
        }
        return found;
    }

    private static IllegalArgumentException wrong(String text, String what) {
        return new IllegalArgumentException("latency '" + text + "': " + what
                + "; allowed are none, real, and after one of them or alone KIND=DURATION or KIND=DURATION..DURATION"
                + " with commas between; kinds are " + String.join(", ", REAL.keySet()));
    }

    private static Map<String, Range> real0() {
        Map<String, Range> real = new LinkedHashMap<>();
        real.put("describe", Range.millis(50, 150));
        real.put("create", Range.millis(500, 1500));
        real.put("attach", Range.millis(300, 800));
        real.put("detach", Range.millis(300, 800));
        real.put("delete", Range.millis(300, 800));
        real.put("assign", Range.millis(500, 1500));
        real.put("unassign", Range.millis(300, 1000));
        real.put("modify", Range.millis(300, 800));
        real.put("attaching", Range.millis(2000, 5000));
        real.put("detaching", Range.millis(2000, 5000));
        real.put("deleting", Range.millis(1000, 4000));
        real.put("metadata", Range.millis(0, 3000));
        return real;
    }
}
