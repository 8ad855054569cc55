package io.enipam.engine.trace;

import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What was recorded of one operation so far.
 *
 * @param id counts the operations of one run of the daemon, from 1
 * @param resource what it was about, if that is known
 * @param attributes details, in the order they were added
 */
public record TraceSnapshot(
        long id,
        Trace.Operation operation,
        TraceSink.Subject subject,
        Period period,
        Result result,
        Optional<Resource> resource,
        Map<String, String> attributes,
        Steps recorded) {
    /** The outcome of what has not ended. */
    public static final String RUNNING = "RUNNING";
    /** The outcome of what worked. */
    public static final String OK = "OK";

    /**
     * @param begunNanos the same by the clock that measures
     * @param took from beginning to end; empty while it runs
     */
    public record Period(Instant at, long begunNanos, Optional<Duration> took) {}

    /**
     * @param outcome {@link #RUNNING}, {@link #OK}, or the code of its failure
     * @param why one line for an operator: why it failed, or empty text
     * @param hint what to do about it, or empty text
     */
    public record Result(String outcome, String why, String hint) {}

    /**
     * @param all in the order they began; a step comes after the one it is part of
     * @param dropped how many steps between the first and the last were not kept, since there were too many
     */
    public record Steps(List<Step> all, int dropped) {
        public Steps {
            all = List.copyOf(all);
        }
    }

    public TraceSnapshot {
        attributes = ordered(attributes);
    }

    public TraceSnapshot with(Steps other) {
        return new TraceSnapshot(id, operation, subject, period, result, resource, attributes, other);
    }

    /** The same measured by dates, as those of several runs of the daemon have no other clock in common. */
    public TraceSnapshot byDate() {
        long nanos = TimeUnit.SECONDS.toNanos(at().getEpochSecond()) + at().getNano();
        return new TraceSnapshot(
                id, operation, subject, new Period(at(), nanos, took()), result, resource, attributes, recorded);
    }

    public Instant at() {
        return period.at();
    }

    public Optional<Duration> took() {
        return period.took();
    }

    public String outcome() {
        return result.outcome();
    }

    public String why() {
        return result.why();
    }

    public String hint() {
        return result.hint();
    }

    public List<Step> steps() {
        return recorded.all();
    }

    public int dropped() {
        return recorded.dropped();
    }

    public boolean failed() {
        return took().isPresent() && !outcome().equals(OK);
    }

    private static Map<String, String> ordered(Map<String, String> attributes) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
    }

    /**
     * @param id its place in the trace, from 1; those that were not kept had places too
     * @param parent the step it is part of; 0 for the operation itself
     * @param offset from the trace's beginning to its own
     * @param took from its beginning to its end; empty while it goes on
     * @param outcome {@link #RUNNING}, {@link #OK}, or a code
     * @param why one line for an operator, or empty text
     */
    public record Step(
            int id,
            int parent,
            String name,
            Duration offset,
            Optional<Duration> took,
            String outcome,
            String why,
            Map<String, String> attributes) {
        public Step {
            attributes = ordered(attributes);
        }

        public boolean failed() {
            return took().isPresent() && !outcome().equals(OK);
        }
    }
}
