package io.enipam.store.view;

import io.enipam.store.record.Edit;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * What the database holds now: a MapDB tree in memory from {@code BUCKET/KEY} to a record. The writer thread alone changes
 * it, a whole group at a time; a reader sees it between two groups. Thread-safe by a read-write lock, since the tree itself
 * has no view of one moment.
 */
public final class LiveView implements AutoCloseable {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final DB db = DBMaker.memoryDB().make();
    private final BTreeMap<String, byte[]> records = db.treeMap("records", Serializer.STRING, Serializer.BYTE_ARRAY)
            .valuesOutsideNodesEnable()
            .create();

    public void apply(List<Edit> edits) {
        lock.writeLock().lock();
        try {
            for (Edit edit : edits) {
                byte[] value = edit.value();
                if (value == null) {
                    records.remove(edit.key());
                } else {
                    records.put(edit.key(), value);
                }
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Everything at one moment, ordered by key. */
    public SortedMap<String, byte[]> copy() {
        lock.readLock().lock();
        try {
            return new TreeMap<>(records);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            db.close();
        } finally {
            lock.writeLock().unlock();
        }
    }
}
