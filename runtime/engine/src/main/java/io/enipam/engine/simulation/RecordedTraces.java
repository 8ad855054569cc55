package io.enipam.engine.simulation;

import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.trace.TraceRecorder;
import io.enipam.engine.trace.TraceSnapshot;
import java.util.ArrayList;
import java.util.List;

/** Keeps every story, to be read. Thread-safe. */
public final class RecordedTraces implements TraceSink {
    private final List<TraceRecorder> recordings = new ArrayList<>();
    private final TimeSource time;

    public RecordedTraces(TimeSource time) {
        this.time = time;
    }

    @Override
    public synchronized Trace begin(Trace.Operation operation, Subject subject) {
        TraceRecorder recording = new TraceRecorder(recordings.size() + 1L, operation, subject, time, grown -> {});
        recordings.add(recording);
        return recording;
    }

    /** All stories so far, in the order they began. */
    public synchronized List<TraceSnapshot> all() {
        return recordings.stream().map(TraceRecorder::story).toList();
    }

    /** The stories of one operation so far, in the order they began. */
    public List<TraceSnapshot> of(Trace.Operation operation) {
        return all().stream().filter(story -> story.operation() == operation).toList();
    }
}
