package io.enipam.sdk.testkit;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assertions;

/**
 * One promise of the SDK, named to the author of the code that broke it.
 *
 * @param promise what is promised, a sentence
 * @param mend what usually breaks it and what to do, a sentence
 */
record ContractRule(String promise, String mend) {
    void check(boolean kept, Supplier<String> found) {
        if (!kept) {
            throw broken(found.get());
        }
    }

    /** @param more what else to say of a difference, or empty text */
    <T extends Comparable<T>> void same(Set<T> expected, Set<T> found, String more) {
        Set<T> missing = new TreeSet<>(expected);
        missing.removeAll(found);
        Set<T> surplus = new TreeSet<>(found);
        surplus.removeAll(expected);
        check(
                missing.isEmpty() && surplus.isEmpty(),
                () -> found.size() + " where " + expected.size() + " should be; missing " + missing + ", too many "
                        + surplus + more);
    }

    AssertionError broken(String found) {
        return Assertions.<AssertionError>fail(text(found));
    }

    AssertionError broken(String found, Throwable cause) {
        return Assertions.<AssertionError>fail(text(found), cause);
    }

    private String text(String found) {
        return "\n  the rule:  " + promise + "\n  found:     " + found + "\n  to mend:   " + mend;
    }
}
