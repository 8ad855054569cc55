package io.enipam.store;

import io.enipam.engine.port.ResourceDb;
import io.enipam.store.paths.PathMap;
import java.lang.ref.SoftReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The records as they are after the last durable commit, rebuilt at every start.
 *
 * <p>Thread-safe. One thread at a time changes it, a whole group of commits at once; what readers get is immutable, so a reader sees each
 * commit whole or not at all, and neither waits for the other.
 */
final class LiveView {
    private final FormerKeys formerKeys = new FormerKeys();
    private volatile State state = new State(0, Optional.empty(), Map.of());
    private volatile Consumer<List<EndedLease>> ended = ends -> {};
    private SoftReference<Decoded> decoded = new SoftReference<>(null); // by this

    /** @param records of each bucket that has some; a value is the record with its key */
    private record State(
            long generation, Optional<String> journal, Map<Bucket, PathMap<Map.Entry<String, byte[]>>> records) {}

    private record Decoded(long generation, ResourceDb.Contents contents) {}

    static LiveView of(StoreSnapshot snapshot) {
        LiveView view = new LiveView();
        Changes changes = view.new Changes();
        for (Bucket bucket : Bucket.values()) {
            snapshot.of(bucket).forEach(record -> changes.put(bucket, record.getKey(), record.getValue()));
        }
        view.state = new State(snapshot.generation(), snapshot.journal(), changes.done());
        return view;
    }

    /** Applies commits in order, all of them before any reader sees one; the generation is that of the last one. */
    void apply(List<List<Mutation>> commits, long last) {
        Changes changes = new Changes();
        long number = last - commits.size();
        for (List<Mutation> commit : commits) {
            number++;
            for (Mutation mutation : commit) {
                changes.apply(mutation, number);
            }
        }
        if (!changes.ends.isEmpty()) {
            ended.accept(changes.ends);
        }
        state = new State(last, state.journal(), changes.done());
    }

    /** From now on it tells of the leases that end: those of one call together, before readers see it. Does not block. */
    void follow(Consumer<List<EndedLease>> follower) {
        ended = follower;
    }

    /** What becomes of the records in one call. */
    private final class Changes {
        private final Map<Bucket, PathMap.Edit<Map.Entry<String, byte[]>>> edits = new EnumMap<>(Bucket.class);
        private final List<EndedLease> ends = new ArrayList<>(0);

        private PathMap.Edit<Map.Entry<String, byte[]>> edit(Bucket bucket) {
            return edits.computeIfAbsent(
                    bucket,
                    first -> state.records()
                            .getOrDefault(bucket, PathMap.empty())
                            .edit());
        }

        Optional<byte[]> put(Bucket bucket, String key, byte[] record) {
            return edit(bucket).put(key, Map.entry(key, record)).map(Map.Entry::getValue);
        }

        Optional<byte[]> remove(Bucket bucket, String key) {
            return edit(bucket).remove(key).map(Map.Entry::getValue);
        }

        void apply(Mutation mutation, long number) {
            Bucket bucket = mutation.bucket();
            Optional<byte[]> record = mutation.record();
            Optional<byte[]> former =
                    record.isPresent() ? put(bucket, mutation.key(), record.get()) : remove(bucket, mutation.key());
            if (bucket == Bucket.LEASES && former.isPresent()) {
                ends.add(new EndedLease(number, mutation.key(), former.get(), record, mutation.why()));
            }
            if (record.isPresent() && formerKeys.end(bucket, mutation.key(), record.get())) {
                FormerKeys.BUCKETS.forEach(this::keysOfToday);
            }
        }

        private void keysOfToday(Bucket bucket) {
            List<Map.Entry<String, byte[]>> records =
                    edit(bucket).done().under("").toList();
            for (Map.Entry<String, byte[]> row : records) {
                formerKeys.today(bucket, row.getKey(), row.getValue()).ifPresent(key -> {
                    remove(bucket, row.getKey());
                    put(bucket, key, row.getValue());
                });
            }
        }

        Map<Bucket, PathMap<Map.Entry<String, byte[]>>> done() {
            Map<Bucket, PathMap<Map.Entry<String, byte[]>>> all = new EnumMap<>(Bucket.class);
            all.putAll(state.records());
            edits.forEach((bucket, edit) -> all.put(bucket, edit.done()));
            return all;
        }
    }

    /** The journal goes on in this file: every later snapshot says so. */
    void continuesIn(Path file) {
        state = new State(state.generation(), Optional.of(file.getFileName().toString()), state.records());
    }

    /**
     * The records as the engine's values. They are decoded once between two commits: a start checks them, rebuilds the pods
     * and the leases from them, and ten thousand records in a cold JVM take a good part of a second each time.
     */
    synchronized ResourceDb.Contents contents(RecordCodec codec) {
        Decoded known = decoded.get();
        if (known == null || known.generation() != generation()) {
            StoreSnapshot all = snapshot();
            known = new Decoded(all.generation(), all.contents(codec));
            decoded = new SoftReference<>(known);
        }
        return known.contents();
    }

    long generation() {
        return state.generation();
    }

    StoreSnapshot snapshot() {
        return snapshot(Bucket.values());
    }

    /** The records of these buckets alone. */
    StoreSnapshot snapshot(Bucket... wanted) {
        State now = state;
        Map<Bucket, List<Map.Entry<String, byte[]>>> buckets = new EnumMap<>(Bucket.class);
        for (Bucket bucket : wanted) {
            buckets.put(
                    bucket,
                    now.records()
                            .getOrDefault(bucket, PathMap.empty())
                            .under("")
                            .toList());
        }
        return new StoreSnapshot(now.generation(), now.journal(), buckets);
    }
}
