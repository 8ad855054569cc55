package io.enipam.engine.trace;

import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
    private final List<RecordedSpan> parts = new ArrayList<>(12); // by this
    private final SpanAttributes details = new SpanAttributes(); // by this
    private int stepsBegun; // by this
    private int dropped; // by this
    private boolean ended; // by this
    private long end; // by this
    private String outcome = TraceSnapshot.RUNNING; // by this
    private String why = ""; // by this
    private String hint = ""; // by this
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
    }

    public long id() {
        return id;
    }

    public Operation operation() {
        return operation;
    }

    public TraceSink.Subject subject() {
        return subject;
    }

    @Override
    public boolean isRecording() {
        return true;
    }

    @Override
    public Span step(String name) {
        return begin(0, name);
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
    public synchronized Span with(String key, String value) {
        details.put(key, value);
        return this;
    }

    @Override
    public synchronized void about(Resource known) {
        resource = known;
    }

    @Override
    public void done() {
        end(TraceSnapshot.OK, "", "");
    }

    @Override
    public void failed(String code, String reason) {
        end(code, reason, "");
    }

    @Override
    public void failed(String code, String reason, String whatToDo) {
        end(code, reason, whatToDo);
    }

    private void end(String code, String reason, String whatToDo) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            end = time.nanoTime();
            outcome = code;
            why = SpanAttributes.shortened(reason);
            hint = SpanAttributes.shortened(whatToDo);
        }
        grown.accept(this);
    }

    private void end(RecordedSpan part, String code, String reason) {
        boolean late;
        synchronized (this) {
            if (part.ended) {
                return;
            }
            part.ended = true;
            part.end = time.nanoTime();
            part.outcome = code;
            part.why = SpanAttributes.shortened(reason);
            late = ended;
        }
        if (late) {
            grown.accept(this);
        }
    }

    /** Whether it has ended. */
    public synchronized boolean ended() {
        return ended;
    }

    /** About how much memory it takes. */
    public synchronized int bytes() {
        int bytes = BYTES + details.bytes() + 2 * (why.length() + hint.length());
        for (RecordedSpan part : parts) {
            bytes += BYTES_OF_STEP + part.details.bytes() + 2 * part.why.length();
        }
        return bytes;
    }

    /** What was recorded so far. */
    public synchronized TraceSnapshot story() {
        Set<Integer> kept = parts.stream().map(part -> part.place).collect(Collectors.toSet());
        return new TraceSnapshot(
                id,
                operation,
                subject,
                new TraceSnapshot.Period(
                        at, begun, ended ? Optional.of(Duration.ofNanos(end - begun)) : Optional.empty()),
                new TraceSnapshot.Result(outcome, why, hint),
                Optional.ofNullable(resource),
                details.map(),
                new TraceSnapshot.Steps(
                        parts.stream().map(part -> part.step(kept)).toList(), dropped));
    }

    /** One step; its recording's lock guards its fields. */
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
            end(this, TraceSnapshot.OK, "");
        }

        @Override
        public void failed(String code, String reason) {
            end(this, code, reason);
        }

        /** Of a step that is not kept, the parts are the operation's. */
        TraceSnapshot.Step step(Set<Integer> kept) {
            return new TraceSnapshot.Step(
                    place,
                    kept.contains(parent) ? parent : 0,
                    name,
                    Duration.ofNanos(began - begun),
                    ended ? Optional.of(Duration.ofNanos(end - began)) : Optional.empty(),
                    outcome,
                    why,
                    details.map());
        }
    }

    /** A few texts by name, as small as they can be kept. Guarded by the recording's lock. */
    private static final class SpanAttributes {
        /** Longer texts are cut. */
        static final int LONGEST = 500;

        private static final int MOST = 16;

        /** Key, value, key, value. */
        private List<String> texts = List.of();

        /** An empty text says nothing. */
        void put(String key, String value) {
            if (value.isEmpty()) {
                return;
            }
            if (texts.isEmpty()) {
                texts = new ArrayList<>(4);
            }
            for (int at = 0; at < texts.size(); at += 2) {
                if (texts.get(at).equals(key)) {
                    texts.set(at + 1, shortened(value));
                    return;
                }
            }
            if (texts.size() < 2 * MOST) {
                texts.add(key);
                texts.add(shortened(value));
            }
        }

        int bytes() {
            int bytes = 0;
            for (int i = 1; i < texts.size(); i += 2) {
                bytes += 64 + 2 * texts.get(i).length();
            }
            return bytes;
        }

        Map<String, String> map() {
            Map<String, String> map = new LinkedHashMap<>();
            for (int i = 0; i + 1 < texts.size(); i += 2) {
                map.put(texts.get(i), texts.get(i + 1));
            }
            return map;
        }

        static String shortened(String text) {
            return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
        }
    }
}
