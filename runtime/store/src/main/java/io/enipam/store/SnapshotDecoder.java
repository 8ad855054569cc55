package io.enipam.store;

import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb;
import java.util.List;
import java.util.stream.Stream;

/** The records of a snapshot as the engine's values. */
final class SnapshotDecoder {
    private SnapshotDecoder() {}

    /** @throws StoreException if a record cannot be read, or a newer program wrote it */
    static ResourceDb.Contents contents(StoreSnapshot all, RecordCodec codec) {
        return new ResourceDb.Contents(
                decode(all, Bucket.LEASES, codec::lease),
                Stream.concat(
                                decode(all, Bucket.RESERVATIONS, codec::reservation).stream(),
                                decode(all, Bucket.QUARANTINE, codec::quarantined).stream())
                        .toList(),
                decode(all, Bucket.INTENTS, codec::intent),
                operations(all, codec),
                decode(all, Bucket.PODS, codec::pod),
                all.of(Bucket.META).stream()
                        .filter(record -> record.getKey().equals(NodeJson.KEY))
                        .map(record -> codec.node(record.getValue()))
                        .findAny());
    }

    /** @throws StoreException if a record cannot be read, or a newer program wrote it */
    static List<CloudJournal.Entry> operations(StoreSnapshot all, RecordCodec codec) {
        return decode(all, Bucket.OPERATIONS, codec::operation);
    }

    private static <T> List<T> decode(StoreSnapshot all, Bucket bucket, Decoder<T> decoder) {
        return all.of(bucket).stream()
                .map(record -> decoder.decode(record.getKey(), record.getValue()))
                .toList();
    }

    /** From a record to the engine's value. */
    private interface Decoder<T> {
        T decode(String key, byte[] record);
    }
}
