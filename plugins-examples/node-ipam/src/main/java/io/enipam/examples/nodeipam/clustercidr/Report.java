package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.clustercidr.ClusterCidrs.Known;
import io.enipam.sdk.cluster.ClusterEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a {@code ClusterCIDR} stands, for the annotation {@value #ANNOTATION}, since the CRD has no status: two conditions as Kubernetes
 * writes them, and how full its ranges are.
 *
 * <p>It is written when a condition changes, and when a range has become fuller or emptier by a twentieth: to fill a range takes as many
 * writes, however many nodes there are. The numbers are those of that moment ({@code at}); {@code nodeipam show} has those of now.
 */
record Report(List<Condition> conditions, List<Range> ranges) {
    static final String ANNOTATION = "enipam.io/report";

    /** In how many steps a range becomes full. */
    static final int STEPS = 20;

    /** What events are from. */
    static final String SOURCE = "multiCIDRRangeAllocator";

    private static final int MOST_NODES = 5;
    /** A selector may be long. */
    private static final int LONGEST = 1_000;

    Report {
        conditions = List.copyOf(conditions);
        ranges = List.copyOf(ranges);
    }

    /**
     * A condition.
     *
     * @param status {@code True} or {@code False}
     * @param message of an operator's language, one line
     */
    record Condition(String type, String status, String reason, String message) {}

    /**
     * A range.
     *
     * @param blockLength the length of the prefix of a node's block
     */
    record Range(String cidr, int blockLength, int blocks, int taken) {
        static Range of(BlockRange range) {
            return new Range(range.cidr().toString(), range.blockLength(), range.size(), range.taken());
        }

        private boolean isFull() {
            return taken == blocks;
        }

        private int level() {
            return isFull() ? STEPS + 1 : (int) ((long) taken * STEPS / blocks);
        }
    }

    /** How full ranges are, in steps: another number where another report is due. */
    static int level(List<BlockRange> ranges) {
        return ranges.stream().map(Range::of).mapToInt(Range::level).reduce(0, (all, one) -> all * (STEPS + 2) + one);
    }

    /** @param nodes that have blocks of it, if it is deleted */
    static Report of(Known known, List<String> nodes, List<Range> ranges) {
        boolean valid = known.problem().isEmpty();
        Condition asWritten = new Condition(
                "Valid",
                valid ? "True" : "False",
                valid ? "AsWritten" : known.inForce().isPresent() ? "SpecChanged" : "Invalid",
                cut(known.problem()
                        + known.inForce()
                                .filter(its -> !valid)
                                .map(its -> " In force is still: " + its)
                                .orElse("")));
        return new Report(List.of(asWritten, allocating(known, nodes, ranges)), ranges);
    }

    private static String cut(String message) {
        return message.length() <= LONGEST ? message : message.substring(0, LONGEST) + "...";
    }

    private static Condition allocating(Known known, List<String> nodes, List<Range> ranges) {
        if (known.isDeleted()) {
            String more = nodes.size() > MOST_NODES ? ", ..." : "";
            return new Condition(
                    "Allocating",
                    "False",
                    "Terminating",
                    terminating(known) + ": " + nodes.size() + " ("
                            + nodes.stream().limit(MOST_NODES).collect(Collectors.joining(", ")) + more + ")");
        }
        List<String> full =
                ranges.stream().filter(Range::isFull).map(Range::cidr).toList();
        if (known.inForce().isEmpty()) {
            return new Condition("Allocating", "False", "Invalid", "No node gets blocks of it.");
        }
        return full.isEmpty()
                ? new Condition("Allocating", "True", "Serving", "")
                : new Condition(
                        "Allocating", "False", "Full", "No free block is left in " + String.join(" and ", full) + ".");
    }

    private static String terminating(Known known) {
        return "ClusterCIDRSet " + known.object().name()
                + " marked as terminating, won't be deleted until all associated nodes are deleted";
    }

    /** The warning that an operator gets when it is another one than the last. */
    static Optional<ClusterEvent> warning(Known known, Report report) {
        Condition valid = report.conditions().get(0);
        if (valid.status().equals("False")) {
            return Optional.of(new ClusterEvent(SOURCE, true, valid.reason() + "ClusterCIDR", valid.message()));
        }
        return known.isDeleted()
                ? Optional.of(new ClusterEvent(SOURCE, true, "TerminatingClusterCIDR", terminating(known)))
                : Optional.empty();
    }

    /** What makes two reports so different that the later one is written. */
    String material() {
        String held = conditions.stream()
                .map(its -> its.type() + "=" + its.status() + " " + its.reason()
                        // the other messages change with what the levels of the ranges say
                        + (its.type().equals("Valid") ? " " + its.message() : ""))
                .collect(Collectors.joining(", "));
        return held
                + ranges.stream()
                        .map(its -> " " + its.cidr() + " " + its.level())
                        .collect(Collectors.joining());
    }

    /**
     * What is written into the annotation.
     *
     * @param before what it has, which any client may have written: the time of a condition's last transition stays while it has this
     *     status
     */
    String text(String before, Instant now) {
        Map<?, ?> earlier = read(before);
        String at = now.truncatedTo(ChronoUnit.SECONDS).toString();
        List<Map<String, String>> conditions = new ArrayList<>();
        for (Condition its : this.conditions) {
            Map<String, String> written = new LinkedHashMap<>();
            written.put("type", its.type());
            written.put("status", its.status());
            written.put("reason", its.reason());
            written.put("message", its.message());
            written.put("lastTransitionTime", since(earlier, its).orElse(at));
            conditions.add(written);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("conditions", conditions);
        report.put("ranges", ranges);
        // as the earlier one is read back, to be compared with it
        Map<Object, Object> next = new LinkedHashMap<>();
        read(Kept.json(report)).forEach(next::put);
        Map<Object, Object> last = new LinkedHashMap<>(earlier);
        last.remove("at");
        if (next.equals(last)) {
            return before;
        }
        next.put("at", at);
        return Kept.json(next);
    }

    private static Map<?, ?> read(String before) {
        try {
            return before.isEmpty() ? Map.of() : Kept.read(before, Map.class);
        } catch (IllegalArgumentException e) {
            return Map.of();
        }
    }

    private static Optional<String> since(Map<?, ?> earlier, Condition now) {
        return earlier.get("conditions") instanceof List<?> conditions
                ? conditions.stream()
                        .filter(each -> each instanceof Map<?, ?> its
                                && now.type().equals(its.get("type"))
                                && now.status().equals(its.get("status")))
                        .map(each -> ((Map<?, ?>) each).get("lastTransitionTime"))
                        .filter(String.class::isInstance)
                        .map(String.class::cast)
                        .findFirst()
                : Optional.empty();
    }
}
