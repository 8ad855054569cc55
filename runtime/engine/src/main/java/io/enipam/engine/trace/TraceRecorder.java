package io.enipam.engine.trace;

import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A trace that is being recorded. Thread-safe: its own lock guards all of it, is held for nanoseconds, and nothing is
 * called under it.
 *
 * <p>A trace has at most {@value #MOST_STEPS} steps and texts of at most {@value SpanAttributes#LONGEST} characters, so
 * that the memory of one that goes on for hours is bounded: the first and the last steps are kept. Steps may follow its
 * end: what an operation undoes after it has answered is part of it.
 */
public final class TraceRecorder implements Trace {
    /** How many steps are kept: the first {@value #FIRST}, and the last. Those between are counted. */
    public static final int MOST_STEPS = 30;

    private static final int FIRST = 10;
    /** A trace without an end is reported as grown each time it has as many more steps. */
    private static final int GROWN = 16;

    private static final int BYTES = 400;
    private static final int BYTES_OF_STEP = 120;

    private final long id;
    private final Operation operation;
    private final TraceSink.Subject subject;
    private final TimeSource time;
    private final Consumer<TraceRecorder> grown;
    private final Instant at;
    private final long begun;
    /** The operation itself, of which all others are parts. */
    private final RecordedSpan whole;

    private final List<RecordedSpan> parts = new ArrayList<>(12); // by this
    private int stepsBegun; // by this
    private int dropped; // by this
    private @Nullable Resource resource; // by this

    /**
     * @param grown called when the trace ends, and repeatedly while it grows, before and after that; without the lock
     */
    public TraceRecorder(
            long id, Operation operation, TraceSink.Subject subject, TimeSource time, Consumer<TraceRecorder> grown) {
        this.id = id;
        this.operation = operation;
        this.subject = subject;
        this.time = time;
        this.grown = grown;
        this.at = time.now();
        this.begun = time.nanoTime();
        this.whole = new RecordedSpan(0, 0, "", begun);
    }

    public long id() {
        return id;
    }

    /** Whether the operation is over; steps may follow, see above. */
    public synchronized boolean hasEnded() {
        return whole.ended;
    }

    public Operation operation() {
        return operation;
    }

    @Override
    public boolean isRecording() {
        return true;
    }

    @Override
    public Span step(String name) {
        return whole.step(name);
    }

    private Span begin(int parent, String name) {
        RecordedSpan part;
        boolean much;
        synchronized (this) {
            if (parts.size() == MOST_STEPS) {
                parts.remove(leastTelling());
                dropped++;
            }
            part = new RecordedSpan(++stepsBegun, parent, name, time.nanoTime());
            parts.add(part);
            much = stepsBegun % GROWN == 0;
        }
        if (much) {
            grown.accept(this);
        }
        return part;
    }

    /** The oldest after the beginning, but what goes on is to be seen. Under the lock. */
    private int leastTelling() {
        for (int at = FIRST; at < parts.size(); at++) {
            if (parts.get(at).ended) {
                return at;
            }
        }
        return FIRST;
    }

    @Override
    public Span with(String key, String value) {
        whole.with(key, value);
        return this;
    }

    @Override
    public synchronized void about(Resource known) {
        resource = known;
    }

    @Override
    public void done() {
        whole.done();
    }

    @Override
    public void failed(String code, String reason) {
        whole.failed(code, reason);
    }

    @Override
    public void failed(String code, String reason, String whatToDo) {
        whole.end(code, reason, whatToDo);
    }

    /** About how much memory it takes. */
    public synchronized int bytes() {
        return BYTES
                + whole.bytes()
                + parts.stream().mapToInt(part -> BYTES_OF_STEP + part.bytes()).sum();
    }

    public synchronized TraceSnapshot story() {
        Set<Integer> kept = parts.stream().map(part -> part.place).collect(Collectors.toSet());
        return new TraceSnapshot(
                id,
                operation,
                subject,
                new TraceSnapshot.Period(at, begun, whole.took()),
                new TraceSnapshot.Result(whole.outcome, whole.why, whole.hint),
                Optional.ofNullable(resource),
                whole.details.byName(),
                new TraceSnapshot.Steps(
                        parts.stream().map(part -> part.step(kept)).toList(), dropped));
    }

    /** The operation or one step of it; the recording's lock guards its fields. */
    private final class RecordedSpan implements Span {
        private final int place;
        private final int parent;
        private final String name;
        private final long began;
        private final SpanAttributes details = new SpanAttributes();
        private boolean ended;
        private long end;
        private String outcome = TraceSnapshot.RUNNING;
        private String why = "";
        private String hint = "";

        RecordedSpan(int place, int parent, String name, long began) {
            this.place = place;
            this.parent = parent;
            this.name = name;
            this.began = began;
        }

        @Override
        public boolean isRecording() {
            return true;
        }

        @Override
        public Span step(String part) {
            return begin(place, part);
        }

        @Override
        public Span with(String key, String value) {
            synchronized (TraceRecorder.this) {
                details.put(key, value);
            }
            return this;
        }

        @Override
        public void done() {
            end(TraceSnapshot.OK, "", "");
        }

        @Override
        public void failed(String code, String reason) {
            end(code, reason, "");
        }

        /** Once; the end of the operation, and any step that ends after it, is reported. */
        private void end(String code, String reason, String whatToDo) {
            boolean report;
            synchronized (TraceRecorder.this) {
                if (ended) {
                    return;
                }
                ended = true;
                end = time.nanoTime();
                outcome = code;
                why = SpanAttributes.shortened(reason);
                hint = SpanAttributes.shortened(whatToDo);
                report = whole.ended;
            }
            if (report) {
                grown.accept(TraceRecorder.this);
            }
        }

        private Optional<Duration> took() {
            return ended ? Optional.of(Duration.ofNanos(end - began)) : Optional.empty();
        }

        private int bytes() {
            return details.bytes() + 2 * (why.length() + hint.length());
        }

        /** Of a step that is not kept, the parts are the operation's. */
        TraceSnapshot.Step step(Set<Integer> kept) {
            return new TraceSnapshot.Step(
                    place,
                    kept.contains(parent) ? parent : 0,
                    name,
                    Duration.ofNanos(began - begun),
                    took(),
                    outcome,
                    why,
                    details.byName());
        }
    }

    /** A few texts by name, in one array, each after its name: a map takes five times as much. Guarded by the recording's lock. */
    private static final class SpanAttributes {
        static final int LONGEST = 500;

        private static final int MOST = 16;
        private static final String[] NONE = {};

        private String[] texts = NONE;

        /** An empty text says nothing. */
        void put(String key, String value) {
            int at = 0;
            while (at < texts.length && !texts[at].equals(key)) {
                at += 2;
            }
            if (value.isEmpty() || at == 2 * MOST) {
                return;
            }
            if (at == texts.length) {
                texts = Arrays.copyOf(texts, at + 2);
                texts[at] = key;
            }
            texts[at + 1] = shortened(value);
        }

        Map<String, String> byName() {
            Map<String, String> map = new LinkedHashMap<>();
            for (int at = 0; at < texts.length; at += 2) {
                map.put(texts[at], texts[at + 1]);
            }
            return map;
        }

        int bytes() {
            int bytes = 0;
            for (int at = 1; at < texts.length; at += 2) {
                bytes += 64 + 2 * texts[at].length();
            }
            return bytes;
        }

        static String shortened(String text) {
            return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
        }
    }
}
