package io.enipam.emulator.cloud;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long calls and state changes take. Immutable.
 *
 * @param ranges by what takes time: an action's name; {@code *} for actions that are not named; {@code attaching},
 *     {@code detaching}, {@code deleting} for the passing statuses of an ENI; {@code metadata} for how much later than the
 *     API the metadata service knows of a change. What is absent takes no time
 */
public record Latency(Map<String, Range> ranges) {
    public static final String ANY = "*";

    /** How late the metadata service is. */
    public static final String METADATA = "metadata";

    /** How late the descriptions of ENIs are: they show the cloud as it was so long ago, while all other calls see it as it is. */
    public static final String DESCRIBE = "describe";

    /** Everything at once. */
    public static final Latency NONE = new Latency(Map.of());

    private static final Map<String, List<String>> SHORT = Map.of(
            "create", List.of("CreateNetworkInterface"),
            "attach", List.of("AttachNetworkInterface"),
            "detach", List.of("DetachNetworkInterface"),
            "delete", List.of("DeleteNetworkInterface"),
            "assign", List.of("AssignPrivateIpAddresses", "AssignIpv6Addresses"),
            "unassign", List.of("UnassignPrivateIpAddresses", "UnassignIpv6Addresses"));

    private static final Set<String> OTHERS = Set.of(ANY, "attaching", "detaching", "deleting", METADATA, DESCRIBE);

    private static final Pattern ITEM = Pattern.compile("([A-Za-z0-9]+|\\*)=([^=]+)");

    /**
     * As in the real cloud: calls take 50 ms to 1.5 s, an attach 2 to 5 s, metadata is up to 3 s late. The real cloud
     * publishes no figures: these are inferred from how long its clients wait.
     */
    public static final Latency REAL = parse("*=50ms-150ms,create=500ms-1500ms,attach=300ms-800ms,detach=300ms-800ms,"
            + "delete=300ms-800ms,assign=500ms-1500ms,unassign=300ms-1s,attaching=2s-5s,detaching=2s-5s,deleting=1s-4s,"
            + "metadata=0-3s");

    /** A time that is drawn anew each time, from the shortest, not negative, to the longest, an hour at most. */
    public record Range(Duration from, Duration to) {
        private static final Duration LONGEST = Duration.ofHours(1);

        public Range {
            if (from.isNegative() || to.compareTo(from) < 0 || to.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "a latency must be at least 0, at most an hour, and its end not before its start, not "
                                + DurationFormat.text(from) + "-" + DurationFormat.text(to));
            }
        }

        @Override
        public String toString() {
            return from.equals(to)
                    ? DurationFormat.text(from)
                    : DurationFormat.text(from) + "-" + DurationFormat.text(to);
        }
    }

    public Latency {
        ranges = Collections.unmodifiableMap(new LinkedHashMap<>(ranges));
    }

    /**
     * Reads {@code none}, {@code real}, or pairs {@code WHAT=TIME} or {@code WHAT=TIME-TIME} separated by commas, where
     * a time is {@code 0} or a number with {@code ms}, {@code s}, {@code m} or {@code h}: {@code
     * *=20ms,attaching=1s-2s}. The pairs may follow {@code real} and change it: {@code real,metadata=0}. {@code
     * TIME..TIME} is the same as {@code TIME-TIME}, and {@code create}, {@code attach}, {@code detach}, {@code delete},
     * {@code assign} and {@code unassign} stand for the actions that do it: {@code assign=200ms..400ms,attach=1s}.
     * Throws IllegalArgumentException if it is none of them; a WHAT in lower case that is none of these would never be
     * obeyed and is refused, too.
     */
    public static Latency parse(String text) {
        Map<String, Range> ranges = new LinkedHashMap<>();
        boolean first = true;
        for (String raw : text.split(",", -1)) {
            String item = raw.strip();
            Matcher pair = ITEM.matcher(item);
            if (first && item.equalsIgnoreCase("real")) {
                ranges.putAll(REAL.ranges());
            } else if (pair.matches()) {
                Range range = range(pair.group(2));
                named(pair.group(1), item).forEach(what -> ranges.put(what, range));
            } else if (!first || !item.equalsIgnoreCase("none")) {
                throw unreadable(item);
            }
            first = false;
        }
        return new Latency(ranges);
    }

    private static List<String> named(String what, String item) {
        if (Character.isUpperCase(what.charAt(0)) || OTHERS.contains(what)) {
            return List.of(what);
        }
        List<String> actions = SHORT.get(what);
        if (actions == null) {
            throw unreadable(item);
        }
        return actions;
    }

    Range ofCall(String action) {
        return ranges.getOrDefault(action, of(ANY));
    }

    Range of(String what) {
        return ranges.getOrDefault(what, new Range(Duration.ZERO, Duration.ZERO));
    }

    /** As it is read: {@code none}, {@code real}, or pairs; what changes {@code real} follows that word. */
    @Override
    public String toString() {
        boolean likeReal = ranges.keySet().containsAll(REAL.ranges().keySet());
        List<String> items = new ArrayList<>();
        ranges.forEach((what, range) -> {
            if (!likeReal || !range.equals(REAL.ranges().get(what))) {
                items.add(what + "=" + range);
            }
        });
        Collections.sort(items);
        if (likeReal) {
            items.add(0, "real");
        }
        return items.isEmpty() ? "none" : String.join(",", items);
    }

    private static Range range(String text) {
        String[] ends = text.split("-|\\.\\.", -1);
        if (ends.length > 2) {
            throw unreadable(text);
        }
        return new Range(DurationFormat.parse(ends[0]), DurationFormat.parse(ends[ends.length - 1]));
    }

    private static IllegalArgumentException unreadable(String item) {
        return new IllegalArgumentException("'" + item
                + "' is no latency: give none, real, or WHAT=TIME[-TIME] separated by commas, as in"
                + " *=20ms,attaching=1s-2s; WHAT is an action, create, attach, detach, delete, assign, unassign, * for"
                + " the other actions, attaching, detaching, deleting, metadata or describe");
    }

    /**
     * Draws how long each call and state change takes. What is drawn for the n-th time for one thing (an action, a status)
     * depends on the seed, the thing and n alone. The latency may be changed at any time and counts from the next drawing on.
     * Thread-safe.
     */
    public static final class LatencySampler {
        private final long seed;
        private final Map<String, AtomicLong> drawn = new ConcurrentHashMap<>();
        private volatile Latency latency;

        public LatencySampler(Latency latency, long seed) {
            this.latency = latency;
            this.seed = seed;
        }

        public Latency latency() {
            return latency;
        }

        /** Puts another latency in force; what is under way is not changed. */
        public void change(Latency next) {
            latency = next;
        }

        public Duration ofCall(String action) {
            return draw(action, latency.ofCall(action));
        }

        public Duration ofStatus(EniStatus status) {
            String what = status.wireName().toLowerCase(Locale.ROOT);
            return draw(what, latency.of(what));
        }

        /** How much later than the API the metadata service knows of a change. */
        public Duration ofMetadata() {
            return draw(Latency.METADATA, latency.of(Latency.METADATA));
        }

        /** How much later than all other calls the descriptions of ENIs know of a change. */
        public Duration ofDescriptions() {
            return draw(Latency.DESCRIBE, latency.of(Latency.DESCRIBE));
        }

        private Duration draw(String what, Latency.Range range) {
            long from = range.from().toMillis();
            long to = range.to().toMillis();
            if (from == to) {
                return range.from();
            }
            long number = drawn.computeIfAbsent(what, fresh -> new AtomicLong()).incrementAndGet();
            long ofThing = new SplittableRandom(seed ^ what.hashCode()).nextLong();
            return Duration.ofMillis(new SplittableRandom(ofThing + number).nextLong(from, to + 1));
        }
    }
}
