package io.enipam.lab.logs;

import io.enipam.sdk.PodRef;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Names and ids as they stand in the files: each text is kept once, as a day of logs repeats them. Not thread-safe. */
final class PodNames {
    private final Map<String, String> known = new HashMap<>();
    private final Map<String, String> pods = new HashMap<>();
    private final Problem.Counts problems;

    PodNames(Problem.Counts problems) {
        this.problems = problems;
    }

    String same(String text) {
        return known.computeIfAbsent(text, one -> one);
    }

    /** The pod's name as a trace has it; empty, and counted, if there can be no such pod. */
    Optional<String> pod(String namespace, String name, String where) {
        String text = namespace + "/" + name;
        String same = pods.get(text);
        if (same != null) {
            return Optional.of(same);
        }
        try {
            pods.put(text, new PodRef(namespace, name).toString());
            return Optional.of(text);
        } catch (IllegalArgumentException e) {
            problems.add(Problem.NO_NAME, 1, where);
            return Optional.empty();
        }
    }
}
