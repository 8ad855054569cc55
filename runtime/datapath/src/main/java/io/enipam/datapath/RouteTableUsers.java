package io.enipam.datapath;

import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.engine.model.OwnerKey;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Tracks the users of an ENI's table, so that the table is emptied when the last pod leaves, and never under a pod that is being
 * connected. A connect holds the table's lock while it writes the record, a disconnect only if it is the last: all others run in
 * parallel. Thread-safe.
 */
final class RouteTableUsers {
    private final AttachmentRecordStore records;
    private final Map<Long, Lock> locks = new ConcurrentHashMap<>();
    private final Set<OwnerKey> leaving = ConcurrentHashMap.newKeySet();

    RouteTableUsers(AttachmentRecordStore records) {
        this.records = records;
    }

    /** Records a user. */
    void acquire(AttachmentRecord record) {
        Lock lock = lock(record);
        lock.lock();
        try {
            records.write(record);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a user.
     *
     * @param disconnect takes the connection away but what others still need; if it fails, the record stays
     */
    void release(AttachmentRecord record, Consumer<RetainedState> disconnect) {
        try {
            if (!leaveAsLast(record, disconnect)) {
                disconnect.accept(new RetainedState(true, addresses(record)));
                records.delete(record.key());
            }
        } finally {
            // after a failure it still counts as a user
            leaving.remove(record.key());
        }
    }

    private boolean leaveAsLast(AttachmentRecord record, Consumer<RetainedState> disconnect) {
        Lock lock = lock(record);
        lock.lock();
        try {
            leaving.add(record.key());
            if (record.table() == 0 || records.all().stream().anyMatch(other -> stays(other, record))) {
                return false;
            }
            disconnect.accept(new RetainedState(false, addresses(record)));
            records.delete(record.key());
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Addresses of the record that another remaining connection has, too. */
    private Set<String> addresses(AttachmentRecord record) {
        Set<String> own = record.addresses().stream().map(PodAddress::ip).collect(Collectors.toSet());
        return records.all().stream()
                .filter(other -> !other.owner().equals(record.owner()) && !leaving.contains(other.key()))
                .flatMap(other -> other.addresses().stream())
                .map(PodAddress::ip)
                .filter(own::contains)
                .collect(Collectors.toSet());
    }

    private boolean stays(AttachmentRecord other, AttachmentRecord record) {
        return other.table() == record.table()
                && !other.owner().equals(record.owner())
                && !leaving.contains(other.key());
    }

    private Lock lock(AttachmentRecord record) {
        return locks.computeIfAbsent(record.table(), table -> new ReentrantLock());
    }
}
