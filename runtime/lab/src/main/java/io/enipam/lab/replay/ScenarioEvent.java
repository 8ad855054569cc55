package io.enipam.lab.replay;

import java.time.Duration;
import java.util.regex.Matcher;

/** What happens to a fleet during a replay, as it is typed: {@code quota-cut(api=AssignPrivateIpAddresses,limit=20,at=2h,for=30m)}. */
public sealed interface ScenarioEvent {
    /** Its beginning, from that of the trace. */
    Duration at();

    /**
     * Nodes are drained in batches, in the order of their numbers: while a node is down no pod comes to it, and those that it had come to
     * other nodes.
     *
     * @param batch nodes at one time
     * @param every from the beginning of a batch to that of the next
     * @param down how long a node of it takes no pods
     */
    record RollingUpgrade(Duration at, int batch, Duration every, Duration down) implements ScenarioEvent {}

    /**
     * The cloud refuses what would change ENIs or addresses of the nodes of a zone; those that they have go on working.
     *
     * @param zone empty text for the first
     */
    record ZoneOutage(Duration at, Duration lasts, String zone) implements ScenarioEvent {}

    /**
     * The cloud takes fewer calls of an API, or more.
     *
     * @param limit calls a minute
     */
    record QuotaCut(Duration at, Duration lasts, String api, int limit) implements ScenarioEvent {}

    /** Reads one. Throws IllegalArgumentException, which says what is wrong and what would be right. */
    static ScenarioEvent parse(String text) {
        Matcher shape = EventText.SHAPE.matcher(text.strip());
        if (!shape.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no event; write NAME(key=value,...), as in "
                    + "quota-cut(api=AssignPrivateIpAddresses,limit=20,at=2h,for=30m)");
        }
        EventText written = new EventText(text.strip(), shape.group(2));
        switch (shape.group(1)) {
            case "rolling-upgrade" -> {
                written.requireKnown("at", "batch", "every", "down");
                return new RollingUpgrade(
                        written.time("at"),
                        written.whole("batch", 1, 10_000),
                        written.span("every"),
                        written.span("down"));
            }
            case "zone-outage" -> {
                written.requireKnown("at", "for", "zone");
                return new ZoneOutage(written.time("at"), written.span("for"), written.valueOr("zone", ""));
            }
            case "quota-cut" -> {
                written.requireKnown("at", "for", "api", "limit");
                return new QuotaCut(
                        written.time("at"),
                        written.span("for"),
                        written.api("api"),
                        written.whole("limit", 0, 1_000_000));
            }
            default ->
                throw new IllegalArgumentException("there is no event " + shape.group(1)
                        + "; there are quota-cut, rolling-upgrade and zone-outage");
        }
    }
}
