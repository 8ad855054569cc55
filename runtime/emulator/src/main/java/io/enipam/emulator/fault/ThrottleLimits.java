package io.enipam.emulator.fault;

import java.util.ArrayList;
import java.util.Collections;
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

    /** No limits. */
    public static ThrottleLimits none() {
        return new ThrottleLimits(Map.of());
    }

    /**
     * What clients hold themselves to with the real cloud, which publishes no figures: 500 a minute for most calls, 800 for
     * DescribeNetworkInterfaces, 400 for Detach, Assign, Unassign and DescribeInstanceTypes, 300 for DescribeVSwitches.
     */
    public static ThrottleLimits usual() {
        Map<String, Integer> limits = new LinkedHashMap<>();
        limits.put(ANY, 500);
        limits.put("DescribeNetworkInterfaces", 800);
        limits.put("DetachNetworkInterface", 400);
        limits.put("AssignPrivateIpAddresses", 400);
        limits.put("UnassignPrivateIpAddresses", 400);
        limits.put("AssignIpv6Addresses", 400);
        limits.put("UnassignIpv6Addresses", 400);
        limits.put("DescribeInstanceTypes", 400);
        limits.put("DescribeVSwitches", 300);
        return new ThrottleLimits(limits);
    }

    /**
     * Reads {@code off}, {@code default}, or {@code API=N,...} with N calls a minute; {@code *=N} is for every API that is
     * not named. {@code default,API=N} changes some of the default ones.
     *
     * @throws IllegalArgumentException if it is none of them
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

    /** The same but for one API, or for all not named with {@code *}. */
    public ThrottleLimits with(String api, int limit) {
        Map<String, Integer> changed = new LinkedHashMap<>(perMinute);
        changed.put(api, limit);
        return new ThrottleLimits(changed);
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
}
