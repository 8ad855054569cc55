package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.port.ResourceDb;
import java.lang.ref.SoftReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * The records as they are after the last durable commit: MapDB trees on the heap, rebuilt at every start.
 *
 * <p>Thread-safe. One thread changes it, a whole group of commits under the write lock; readers copy references to the
 * records under the read lock and decode them outside of it. So a reader sees each commit whole or not at all, and holds
 * the writer up for a walk over the trees at most, not for the decoding.
 */
final class LiveView {
    private final FormerKeys formerKeys = new FormerKeys();
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<Bucket, BTreeMap<String, byte[]>> trees = new EnumMap<>(Bucket.class); // by lock
    private long generation; // by lock
    private Optional<String> journal = Optional.empty(); // by lock
    private Consumer<List<EndedLease>> ended = ends -> {}; // by lock
    private SoftReference<Decoded> decoded = new SoftReference<>(null); // by this

    private record Decoded(long generation, ResourceDb.Contents contents) {}

    LiveView() {
        DB db = DBMaker.heapDB().make();
        for (Bucket bucket : Bucket.values()) {
            trees.put(
                    bucket,
                    db.treeMap(bucket.text(), Serializer.STRING, Serializer.BYTE_ARRAY)
                            .create());
        }
    }

    static LiveView of(StoreSnapshot snapshot) {
        LiveView view = new LiveView();
        for (Bucket bucket : Bucket.values()) {
            BTreeMap<String, byte[]> tree = view.tree(bucket);
            snapshot.of(bucket).forEach(record -> tree.put(record.getKey(), record.getValue()));
        }
        view.generation = snapshot.generation();
        view.journal = snapshot.journal();
        return view;
    }

    /** Applies commits in order, all of them before any reader sees one; the generation is that of the last one. */
    void apply(List<List<Mutation>> commits, long last) {
        lock.writeLock().lock();
        try {
            List<EndedLease> ends = new ArrayList<>(0);
            long number = last - commits.size();
            for (List<Mutation> commit : commits) {
                number++;
                for (Mutation mutation : commit) {
                    apply(mutation, number, ends);
                }
            }
            generation = last;
            if (!ends.isEmpty()) {
                ended.accept(ends);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** From now on it tells of the leases that end: those of one call together, under its lock. Does not block. */
    void follow(Consumer<List<EndedLease>> follower) {
        lock.writeLock().lock();
        try {
            ended = follower;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void apply(Mutation mutation, long number, List<EndedLease> ends) {
        BTreeMap<String, byte[]> tree = tree(mutation.bucket());
        Optional<byte[]> record = mutation.json().map(json -> json.getBytes(UTF_8));
        byte[] former = record.isPresent() ? tree.put(mutation.key(), record.get()) : tree.remove(mutation.key());
        if (mutation.bucket() == Bucket.LEASES && former != null) {
            ends.add(new EndedLease(number, mutation.key(), former, record, mutation.why()));
        }
        record.ifPresent(row -> keysOfToday(mutation, row));
    }

    private void keysOfToday(Mutation mutation, byte[] record) {
        if (formerKeys.end(mutation.bucket(), mutation.key(), record)) {
            FormerKeys.BUCKETS.forEach(this::keysOfToday);
        }
    }

    private void keysOfToday(Bucket bucket) {
        BTreeMap<String, byte[]> tree = tree(bucket);
        List<Map.Entry<String, byte[]>> records = new ArrayList<>();
        tree.forEach((key, record) -> records.add(Map.entry(key, record)));
        for (Map.Entry<String, byte[]> row : records) {
            formerKeys.today(bucket, row.getKey(), row.getValue()).ifPresent(key -> {
                tree.remove(row.getKey());
                tree.put(key, row.getValue());
            });
        }
    }

    /** The journal goes on in this file: every later snapshot says so. */
    void continuesIn(Path file) {
        lock.writeLock().lock();
        try {
            journal = Optional.of(file.getFileName().toString());
        } finally {
            lock.writeLock().unlock();
        }
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
        lock.readLock().lock();
        try {
            return generation;
        } finally {
            lock.readLock().unlock();
        }
    }

    StoreSnapshot snapshot() {
        return snapshot(Bucket.values());
    }

    /** The records of these buckets alone. */
    StoreSnapshot snapshot(Bucket... wanted) {
        lock.readLock().lock();
        try {
            Map<Bucket, List<Map.Entry<String, byte[]>>> buckets = new EnumMap<>(Bucket.class);
            for (Bucket bucket : wanted) {
                List<Map.Entry<String, byte[]>> records = new ArrayList<>();
                tree(bucket).forEach((key, record) -> records.add(Map.entry(key, record)));
                buckets.put(bucket, records);
            }
            return new StoreSnapshot(generation, journal, buckets);
        } finally {
            lock.readLock().unlock();
        }
    }

    private BTreeMap<String, byte[]> tree(Bucket bucket) {
        BTreeMap<String, byte[]> tree = trees.get(bucket);
        if (tree == null) {
            throw new IllegalStateException("no tree for " + bucket);
        }
        return tree;
    }
}
