package io.enipam.emulator.fault;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many calls of each API the account may make in a minute. Immutable.
 *
 * @param perMinute by action, or {@code *} for every action that is not named, each with a window of its own; at least 0
 */
public record ThrottleLimits(Map<String, Integer> perMinute) {
    private static final String ANY = "*";
    private static final Pattern ITEM = Pattern.compile("([A-Za-z0-9]+|\\*)=([0-9]{1,7})");

    public ThrottleLimits {
        perMinute = Collections.unmodifiableMap(new TreeMap<>(perMinute));
        perMinute.forEach((api, limit) -> {
            if (limit < 0) {
                throw new IllegalArgumentException("the limit of " + api + " is negative: " + limit);
            }
        });
    }

    public static ThrottleLimits none() {
        return new ThrottleLimits(Map.of());
    }

    /** What clients hold themselves to with the real cloud, which publishes no figures. */
    public static ThrottleLimits usual() {
        return parse("*=500,DescribeNetworkInterfaces=800,DetachNetworkInterface=400,AssignPrivateIpAddresses=400,"
                + "UnassignPrivateIpAddresses=400,AssignIpv6Addresses=400,UnassignIpv6Addresses=400,"
                + "DescribeInstanceTypes=400,DescribeVSwitches=300");
    }

    /**
     * Reads {@code off}, {@code default}, or {@code API=N,...} with N calls a minute; {@code *=N} is for every API that
     * is not named. {@code default,API=N} changes some of the default ones. Throws IllegalArgumentException if it is
     * none of them.
     */
    public static ThrottleLimits parse(String text) {
        if (text.equals("off")) {
            return none();
        }
        Map<String, Integer> limits = new LinkedHashMap<>();
        boolean first = true;
        for (String item : text.split(",", -1)) {
            Matcher pair = ITEM.matcher(item.strip());
            if (first && item.strip().equals("default")) {
                limits.putAll(usual().perMinute());
            } else if (pair.matches()) {
                limits.put(pair.group(1), Integer.parseInt(pair.group(2)));
            } else {
                throw new IllegalArgumentException("'" + item.strip()
                        + "' is no limit: give off, default, or API=N (calls a minute) separated by commas");
            }
            first = false;
        }
        return new ThrottleLimits(limits);
    }

    /** How many calls of that API; empty: as many as come. */
    public OptionalInt of(String api) {
        Integer limit = perMinute.getOrDefault(api, perMinute.get(ANY));
        return limit == null ? OptionalInt.empty() : OptionalInt.of(limit);
    }

    /** As it is read: {@code off}, {@code default}, or pairs; what changes {@code default} follows that word. */
    @Override
    public String toString() {
        Map<String, Integer> usual = usual().perMinute();
        boolean likeUsual = perMinute.keySet().containsAll(usual.keySet());
        List<String> items = new ArrayList<>();
        if (likeUsual) {
            items.add("default");
        }
        perMinute.forEach((api, limit) -> {
            if (!likeUsual || !limit.equals(usual.get(api))) {
                items.add(api + "=" + limit);
            }
        });
        return items.isEmpty() ? "off" : String.join(",", items);
    }

    /**
     * The flow control of the account: for each API a number of calls in each minute of the clock. The windows are fixed: an
     * API that is exhausted at the first second of a minute stays refused until the next minute begins. Refused calls count
     * for nothing. Thread-safe.
     */
    public static final class ThrottleWindows {
        private static final long MINUTE = 60;

        private record Window(long minute, int admitted, boolean closed) {}

        private final Map<String, Window> windows = new HashMap<>();
        private ThrottleLimits limits;

        public ThrottleWindows(ThrottleLimits limits) {
            this.limits = limits;
        }

        /** Whether a call is let through; if so, it counts. */
        public synchronized boolean admits(String api, Instant now) {
            Window window = windowOf(api, now);
            boolean admitted = !window.closed()
                    && (limits.of(api).isEmpty()
                            || window.admitted() < limits.of(api).getAsInt());
            if (admitted) {
                windows.put(api, new Window(window.minute(), window.admitted() + 1, false));
            }
            return admitted;
        }

        /**
         * Whether it depends on the calls before a call whether it is let through. If not, another one that comes before it in time may
         * be counted after it.
         */
        public synchronized boolean isOpen(String api, Instant now) {
            Window window = windows.get(api);
            OptionalInt limit = limits.of(api);
            boolean fresh = window == null || window.minute() != minuteOf(now);
            return fresh || limit.isPresent() && !window.closed() && window.admitted() < limit.getAsInt();
        }

        /** Refuses all calls of an API until the next minute. */
        public synchronized void close(String api, Instant now) {
            Window window = windowOf(api, now);
            windows.put(api, new Window(window.minute(), window.admitted(), true));
        }

        public synchronized ThrottleLimits limits() {
            return limits;
        }

        /** Puts other limits in force; what was admitted this minute stays counted. */
        public synchronized void limit(ThrottleLimits newLimits) {
            limits = newLimits;
        }

        /** Opens the windows that a caller or a rule closed; those that are full stay full. */
        public synchronized void reopen() {
            windows.replaceAll((api, window) -> new Window(window.minute(), window.admitted(), false));
        }

        private Window windowOf(String api, Instant now) {
            long minute = minuteOf(now);
            Window window = windows.get(api);
            return window == null || window.minute() != minute ? new Window(minute, 0, false) : window;
        }

        private static long minuteOf(Instant now) {
            return Math.floorDiv(now.getEpochSecond(), MINUTE);
        }
    }
}
