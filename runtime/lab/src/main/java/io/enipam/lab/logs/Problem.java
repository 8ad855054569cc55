package io.enipam.lab.logs;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Why something of the files is not in the trace, or not as it was. */
enum Problem {
    LONG_LINE("lines of more than " + LineReader.LONGEST + " bytes, left out"),
    BROKEN_JSON("places where JSON is broken or cut off; of a file of events, all after that is left out"),
    BROKEN_FILE("files that end in the middle, or whose gzip is broken; what was read before counts"),
    OTHER_LINE("lines that are neither containerd's nor the kubelet's, left out"),
    NO_TIME("lines or events without a time that can be read, left out"),
    NO_NAME("lines or events of a pod whose name Kubernetes does not allow, left out"),
    REORDERED("lines or events that come after later ones; they were sorted"),
    KUBELET_LEFT("lines of the kubelet on pods, left out since containerd's say it of each CNI call"),
    EVENTS_LEFT("events of pods, left out since the logs say it of each CNI call; owners were taken"),
    OTHER_NODE("pods of other nodes than the one asked for, left out"),
    NO_BEGINNING("sandboxes and pods that were there before the files begin, left out"),
    NO_END_SEEN("pods that came again while their former sandbox had no end; it ended then"),
    NEVER_SERVED("pods that never got a sandbox; they end with the last that was seen of them");

    private final String text;

    Problem(String text) {
        this.text = text;
    }

    /** How often each was met, and where first. Not thread-safe. */
    static final class Counts {
        private final Map<Problem, Count> counts = new EnumMap<>(Problem.class);

        private record Count(long times, String first) {}

        void add(Problem problem, long times, String where) {
            counts.merge(
                    problem,
                    new Count(times, where),
                    (known, more) -> new Count(known.times() + more.times(), known.first()));
        }

        /** A line for each kind of problem. */
        List<String> lines() {
            return counts.entrySet().stream()
                    .map(entry -> entry.getValue().times() + " " + entry.getKey().text + " (first: "
                            + entry.getValue().first() + ")")
                    .toList();
        }
    }
}
