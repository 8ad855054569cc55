package io.enipam.daemon;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;

/**
 * Faults that may be an operation in progress: they count if a second read, a second later, finds them again. Where the first finds none,
 * there is no second. An operator waits for the answer, so the pause is no longer than an ADD, a DEL or an event takes.
 */
final class TwoReads {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private TwoReads() {}

    /** @param both what two reads have in common; the first read is the first argument */
    static <T> T of(Callable<T> read, Predicate<T> nothing, BinaryOperator<T> both) throws Exception {
        T first = read.call();
        if (nothing.test(first)) {
            return first;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        return both.apply(first, read.call());
    }

    /** What both lists have, in the second one's order. */
    static <T> List<T> common(Collection<T> one, Collection<T> other) {
        Set<T> both = new LinkedHashSet<>(other);
        both.retainAll(new HashSet<>(one));
        return List.copyOf(both);
    }
}
