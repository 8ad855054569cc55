package io.enipam.datapath;

import io.enipam.datapath.SandboxConnector.OwnerLocks;
import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.engine.model.OwnerKey;
import java.util.List;
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

    void acquire(AttachmentRecord record) {
        OwnerLocks.holding(lock(record), () -> {
            records.write(record);
            return null;
        });
    }

    /** Removes a user; {@code disconnect} takes away what others do not need, and if it fails, the record stays. */
    void release(AttachmentRecord record, Consumer<RetainedState> disconnect) {
        try {
            boolean left = OwnerLocks.holding(lock(record), () -> {
                leaving.add(record.key());
                boolean last = record.table() != 0 && records.all().stream().noneMatch(other -> stays(other, record));
                if (last) {
                    leave(record, disconnect, false);
                }
                return last;
            });
            if (!left) {
                leave(record, disconnect, true);
            }
        } finally {
            // after a failure it still counts as a user
            leaving.remove(record.key());
        }
    }

    private void leave(AttachmentRecord record, Consumer<RetainedState> disconnect, boolean table) {
        disconnect.accept(new RetainedState(table, addresses(record)));
        records.delete(record.key());
    }

    /** Addresses of the record that another remaining connection has, too. */
    private Set<String> addresses(AttachmentRecord record) {
        List<String> own = record.each(PodAddress::ip);
        return records.all().stream()
                .filter(other ->
                        !other.sandbox().owner().equals(record.sandbox().owner()))
                .flatMap(other -> other.addresses().stream()
                        .map(PodAddress::ip)
                        .filter(own::contains)
                        // last, since the key is made of its text
                        .filter(ip -> remains(other)))
                .collect(Collectors.toSet());
    }

    private boolean stays(AttachmentRecord other, AttachmentRecord record) {
        return other.table() == record.table()
                && !other.sandbox().owner().equals(record.sandbox().owner())
                && remains(other);
    }

    /**
     * Whether a connection is neither gone nor about to go. One that has left meanwhile was deleted before it ceased to leave, so it
     * is asked for in this order.
     */
    private boolean remains(AttachmentRecord other) {
        return !leaving.contains(other.key()) && records.of(other.key()).isPresent();
    }

    private Lock lock(AttachmentRecord record) {
        return locks.computeIfAbsent(record.table(), table -> new ReentrantLock());
    }
}
