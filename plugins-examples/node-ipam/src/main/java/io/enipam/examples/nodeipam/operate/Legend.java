package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.NodeGroups;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sign and the number of each group of a map: the same in all of its ranges. Immutable.
 *
 * @param entries the groups with the most blocks first
 */
record Legend(List<Entry> entries) {
    static final char FREE = '.';
    private static final char SERVICES = '=';
    private static final char GONE = '?';
    private static final char OTHERS = '*';
    private static final int LETTERS = 'Z' - 'A' + 1;

    /**
     * One group.
     *
     * @param sign a capital letter; {@code *} for groups beyond the alphabet
     * @param blocks how many it has in all ranges
     */
    record Entry(char sign, String group, int blocks) {}

    Legend {
        entries = List.copyOf(entries);
    }

    static Legend of(List<RangeUse> ranges) {
        Map<String, Integer> blocks = new TreeMap<>();
        ranges.forEach(range -> range.groups().forEach((group, has) -> blocks.merge(group, has, Integer::sum)));
        List<Map.Entry<String, Integer>> groups = new ArrayList<>(blocks.entrySet());
        // stable: those that have as many stay sorted by name
        groups.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
        List<Entry> entries = new ArrayList<>();
        int letter = 0;
        for (Map.Entry<String, Integer> group : groups) {
            char sign = switch (group.getKey()) {
                case NodeGroups.SERVICES -> SERVICES;
                case NodeGroups.GONE -> GONE;
                default -> letter < LETTERS ? (char) ('A' + letter++) : OTHERS;
            };
            entries.add(new Entry(sign, group.getKey(), group.getValue()));
        }
        return new Legend(entries);
    }

    /** The entries by their groups. */
    Map<String, Entry> byGroup() {
        Map<String, Entry> all = new HashMap<>();
        entries.forEach(entry -> all.put(entry.group(), entry));
        return all;
    }

    /** What is said of each sign: groups that share one are reported together. */
    Map<Character, String> texts() {
        Map<Character, String> texts = new LinkedHashMap<>();
        for (Entry entry : entries) {
            texts.merge(
                    entry.sign(),
                    entry.group() + ", " + entry.blocks() + (entry.blocks() == 1 ? " block" : " blocks"),
                    (one, other) -> "other groups");
        }
        return texts;
    }
}
