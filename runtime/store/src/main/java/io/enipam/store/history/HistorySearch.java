package io.enipam.store.history;

import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/**
 * What is searched in a history.
 *
 * @param probes keys of which a record has at least one; empty for any record, for which all of the span is read
 * @param from a record ends then or later
 * @param to a record begins then or earlier
 * @param matches decides
 * @param limit of those that match the last ones, 1 or more
 */
public record HistorySearch<T>(List<String> probes, Instant from, Instant to, Predicate<T> matches, int limit) {
    public HistorySearch {
        probes = List.copyOf(probes);
    }
}
