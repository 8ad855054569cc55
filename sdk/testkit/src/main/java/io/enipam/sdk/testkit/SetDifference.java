package io.enipam.sdk.testkit;

import java.util.Set;
import java.util.TreeSet;

/** Describes the difference of two sets in words. */
final class SetDifference {
    private SetDifference() {}

    static <T extends Comparable<T>> String between(Set<T> expected, Set<T> found) {
        Set<T> missing = new TreeSet<>(expected);
        missing.removeAll(found);
        Set<T> surplus = new TreeSet<>(found);
        surplus.removeAll(expected);
        return found.size() + " where " + expected.size() + " should be; missing " + missing + ", too many " + surplus;
    }
}
