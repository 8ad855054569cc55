package io.enipam.store;

import io.enipam.store.tools.FileHeader;
import java.util.List;
import java.util.Map;

/**
 * A backup or an export that was read whole and found right.
 *
 * @param records as puts, in the order of the file
 */
record DatabaseFile(FileHeader header, Map<Bucket, List<Map.Entry<String, byte[]>>> records) {
    StoreSnapshot snapshot() {
        return new StoreSnapshot(0, records);
    }

    long count() {
        return records.values().stream().mapToLong(List::size).sum();
    }
}
