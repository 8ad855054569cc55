package io.enipam.diagnostics.trace;

import io.enipam.config.DaemonConfig.TraceBounds;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.trace.TraceRecorder;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.PodRef;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The traces of what was done lately, also of what runs and of what failed. What has ended is handed on to those who keep it.
 *
 * <p>Four lists, so that neither creates and disposals nor the calls of the cloud nor the keys of controllers push out the sandboxes;
 * in each the oldest go first, and a pod, a key or an API that has more than its share ({@link TraceBounds#SHARE}) pushes out its own. A
 * trace is in its list from its beginning, so that an operation that hangs is visible. Thread-safe; one lock, held for
 * microseconds; each trace takes the lock twice, at its beginning and its end.
 */
public final class TraceRing implements TraceSink {
    private final TimeSource time;
    private final TraceBounds bounds;
    private final Instant startedAt;
    private final TraceQueue sandboxes; // by this
    private final TraceQueue supply; // by this
    private final TraceQueue calls; // by this
    private final TraceQueue keys; // by this
    private long ids; // by this
    private volatile Consumer<TraceRecorder> keep = ended -> {};

    public TraceRing(TimeSource time, TraceBounds bounds) {
        this.time = time;
        this.bounds = bounds;
        this.startedAt = time.now();
        this.sandboxes = new TraceQueue(bounds.stories(), bounds.ofOne(), bounds.bytes() / 2);
        // creates and disposals have no owner that could take them all
        this.supply = new TraceQueue(bounds.stories(), bounds.stories(), bounds.bytes() / 4);
        this.calls = new TraceQueue(bounds.stories(), Math.max(1, bounds.stories() / 2), bounds.bytes() / 8);
        this.keys = new TraceQueue(bounds.stories(), bounds.ofOne(), bounds.bytes() / 8);
    }

    @Override
    public Trace begin(Trace.Operation operation, Subject subject) {
        if (bounds.stories() == 0) {
            return Trace.NONE;
        }
        String whose = whose(operation, subject);
        synchronized (this) {
            TraceRecorder recording = new TraceRecorder(++ids, operation, subject, time, this::grown);
            queue(operation).add(recording, whose);
            return recording;
        }
    }

    /** @param sink gets each trace that ends from now on, and again if steps follow its end; it does not block */
    public void keepIn(Consumer<TraceRecorder> sink) {
        keep = sink;
    }

    private void grown(TraceRecorder recording) {
        synchronized (this) {
            queue(recording.operation()).grown(recording);
        }
        if (recording.hasEnded()) {
            keep.accept(recording);
        }
    }

    private TraceQueue queue(Trace.Operation operation) {
        return switch (operation) {
            case ADD, DEL, GC -> sandboxes;
            case CREATE, DISPOSE, HOLD -> supply;
            case CLOUD -> calls;
            case RECONCILE -> keys;
        };
    }

    private static String whose(Trace.Operation operation, Subject subject) {
        return switch (operation) {
            case ADD, DEL, GC ->
                subject.pod()
                        .map(PodRef::toString)
                        .or(() -> subject.owner().map(owner -> owner.containerId()))
                        .orElse("");
            // the many reads must not push out the changes
            case CLOUD -> subject.serves().isEmpty() ? "looks" : "wishes";
            case RECONCILE -> subject.name();
            case CREATE, DISPOSE, HOLD -> "";
        };
    }

    /** All traces as they stand now, oldest first. */
    public List<TraceSnapshot> all() {
        List<TraceRecorder> recordings;
        synchronized (this) {
            recordings = Stream.of(sandboxes, supply, calls, keys)
                    .flatMap(queue -> queue.all().stream())
                    .toList();
        }
        return recordings.stream()
                .sorted(Comparator.comparingLong(TraceRecorder::id))
                .map(TraceRecorder::story)
                .toList();
    }

    public Memory memory() {
        List<TraceRecorder> oldest;
        Memory memory;
        synchronized (this) {
            // if traces gave way for the sake of others, the oldest that is kept is where memory begins
            oldest = sandboxes.beginsLate ? sandboxes.all() : List.of();
            memory = new Memory(
                    startedAt,
                    true,
                    sandboxes.kept.size(),
                    sandboxes.byWhom.size(),
                    sandboxes.bytes + supply.bytes + calls.bytes + keys.bytes,
                    bounds,
                    sandboxes.forgotten);
        }
        return oldest.isEmpty() ? memory : memory.since(oldest.get(0).story().at());
    }

    /**
     * @param since what came before is not remembered
     * @param sinceStart whether that is the daemon's start
     * @param stories operations of sandboxes
     * @param bytes of all sorts, about
     * @param forgotten operations of sandboxes that gave way
     */
    public record Memory(
            Instant since, boolean sinceStart, int stories, int pods, long bytes, TraceBounds bounds, long forgotten) {
        Memory since(Instant oldest) {
            return new Memory(oldest, false, stories, pods, bytes, bounds, forgotten);
        }
    }

    /** Traces of one sort, oldest first. An owner above its share gives way first. Guarded by the ring's lock. */
    static final class TraceQueue {
        private final int most;
        private final int mostOfOne;
        private final long mostBytes;
        private final Map<Long, Kept> kept = new LinkedHashMap<>();
        private final Map<String, Deque<Long>> byWhom = new HashMap<>();
        private long bytes;
        private long forgotten;
        /** Whether one gave way for the sake of others. */
        private boolean beginsLate;

        /** A trace, whose it is, and the memory it was taken for. */
        private static final class Kept {
            private final TraceRecorder recording;
            private final String whose;
            private int bytes;

            Kept(TraceRecorder recording, String whose, int bytes) {
                this.recording = recording;
                this.whose = whose;
                this.bytes = bytes;
            }
        }

        /** @param mostBytes at least one trace is kept, however large */
        TraceQueue(int most, int mostOfOne, long mostBytes) {
            this.most = most;
            this.mostOfOne = mostOfOne;
            this.mostBytes = mostBytes;
        }

        void add(TraceRecorder recording, String whose) {
            int size = recording.bytes();
            kept.put(recording.id(), new Kept(recording, whose, size));
            bytes += size;
            Deque<Long> ofOne = byWhom.computeIfAbsent(whose, name -> new ArrayDeque<>());
            ofOne.addLast(recording.id());
            if (ofOne.size() > mostOfOne) {
                forget(ofOne.getFirst());
            }
            shrink();
        }

        /** A trace has ended, or grown after its end. */
        void grown(TraceRecorder recording) {
            Kept entry = kept.get(recording.id());
            if (entry != null) {
                int size = recording.bytes();
                bytes += size - entry.bytes;
                entry.bytes = size;
                shrink();
            }
        }

        private void shrink() {
            while (kept.size() > most || (bytes > mostBytes && kept.size() > 1)) {
                beginsLate = true;
                forget(kept.keySet().iterator().next());
            }
        }

        private void forget(long id) {
            Kept gone = kept.remove(id);
            if (gone == null) {
                throw new IllegalStateException("trace " + id + " is not in its queue");
            }
            bytes -= gone.bytes;
            forgotten++;
            Deque<Long> ofOne = byWhom.get(gone.whose);
            ofOne.remove(id);
            if (ofOne.isEmpty()) {
                byWhom.remove(gone.whose);
            }
        }

        List<TraceRecorder> all() {
            return kept.values().stream().map(entry -> entry.recording).toList();
        }
    }
}
