package io.enipam.store;

import io.enipam.engine.port.ResourceDb;
import io.enipam.store.RecordJson.NodeJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * All records at one moment between two commits. The byte arrays are shared and never written.
 *
 * @param generation the last commit in it
 * @param journal the name of the journal file that the next commit was to go to; empty if it is not known
 * @param buckets the records of each bucket, ascending by key
 */
record StoreSnapshot(long generation, Optional<String> journal, Map<Bucket, List<Map.Entry<String, byte[]>>> buckets) {
    /** Of what was never in a file. */
    StoreSnapshot(long generation, Map<Bucket, List<Map.Entry<String, byte[]>>> buckets) {
        this(generation, Optional.empty(), buckets);
    }

    List<Map.Entry<String, byte[]>> of(Bucket bucket) {
        return buckets.getOrDefault(bucket, List.of());
    }

    /**
     * The records as the engine's values.
     *
     * @throws StoreException if a record cannot be read, or a newer program wrote it
     */
    ResourceDb.Contents contents(RecordCodec codec) {
        return new ResourceDb.Contents(
                decode(Bucket.LEASES, codec::lease),
                Stream.concat(
                                decode(Bucket.RESERVATIONS, codec::reservation).stream(),
                                decode(Bucket.QUARANTINE, codec::quarantined).stream())
                        .toList(),
                decode(Bucket.INTENTS, codec::intent),
                decode(Bucket.OPERATIONS, codec::operation),
                decode(Bucket.PODS, codec::pod),
                of(Bucket.META).stream()
                        .filter(record -> record.getKey().equals(NodeJson.KEY))
                        .map(record -> codec.node(record.getValue()))
                        .findAny());
    }

    /**
     * The records of one bucket as the engine's values.
     *
     * @throws StoreException if a record cannot be read, or a newer program wrote it
     */
    <T> List<T> decode(Bucket bucket, BiFunction<String, byte[], T> decoder) {
        return of(bucket).stream()
                .map(record -> decoder.apply(record.getKey(), record.getValue()))
                .toList();
    }
}
