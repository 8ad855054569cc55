package io.enipam.diagnostics.explain;

import java.time.Instant;
import java.util.List;

/**
 * What came of a question.
 *
 * @param things what the words name; several if they name several things
 * @param more how many things the words name besides
 * @param looked if nobody knows it: why, as far as can be told, and where it was looked for
 * @param nearest if nobody knows it: names there are that look like it
 */
public record Answer(
        String what, Instant at, List<Explanation> things, int more, List<String> looked, List<String> nearest) {
    public Answer {
        things = List.copyOf(things);
        looked = List.copyOf(looked);
        nearest = List.copyOf(nearest);
    }
}
