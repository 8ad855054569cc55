package io.enipam.diagnostics.trace;

import io.enipam.engine.trace.TraceRecorder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The stories of one sort, oldest first; the oldest give way. Whoever has more than its share gives way by itself first. Guarded
 * by the ring's lock.
 */
final class Shelf {
    private final int most;
    private final int mostOfOne;
    private final long mostBytes;
    private final Map<Long, Kept> kept = new LinkedHashMap<>();
    private final Map<String, Deque<Long>> byWhom = new HashMap<>();
    private long bytes;
    private long forgotten;
    /** The youngest that gave way for the sake of others. */
    private long forgottenUpTo;

    /** A story, whose it is, and the memory it was taken for. */
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

    /** @param mostBytes at least one story is kept, however large */
    Shelf(int most, int mostOfOne, long mostBytes) {
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

    /** A story has ended, or grown after its end. */
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
            long oldest = kept.keySet().iterator().next();
            forgottenUpTo = oldest;
            forget(oldest);
        }
    }

    private void forget(long id) {
        Kept gone = kept.remove(id);
        if (gone == null) {
            throw new IllegalStateException("story " + id + " is not on its shelf");
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
        List<TraceRecorder> all = new ArrayList<>(kept.size());
        kept.values().forEach(entry -> all.add(entry.recording));
        return all;
    }

    int size() {
        return kept.size();
    }

    int whom() {
        return byWhom.size();
    }

    long bytes() {
        return bytes;
    }

    long forgotten() {
        return forgotten;
    }

    /** Whether stories gave way for the sake of others: then the oldest that is kept is where memory begins. */
    boolean beginsLate() {
        return forgottenUpTo > 0;
    }
}
