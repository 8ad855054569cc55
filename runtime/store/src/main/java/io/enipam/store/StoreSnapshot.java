package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.port.ResourceDb;
import io.enipam.store.RecordJson.NodeJson;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
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
    static final StoreSnapshot EMPTY = new StoreSnapshot(0, Map.of());

    StoreSnapshot(long generation, Map<Bucket, List<Map.Entry<String, byte[]>>> buckets) {
        this(generation, Optional.empty(), buckets);
    }

    List<Map.Entry<String, byte[]>> of(Bucket bucket) {
        return buckets.getOrDefault(bucket, List.of());
    }

    Map<String, byte[]> byKey(Bucket bucket) {
        Map<String, byte[]> records = new LinkedHashMap<>();
        of(bucket).forEach(record -> records.put(record.getKey(), record.getValue()));
        return records;
    }

    Optional<byte[]> find(Bucket bucket, String key) {
        return Optional.ofNullable(byKey(bucket).get(key));
    }

    long count() {
        return buckets.values().stream().mapToLong(List::size).sum();
    }

    /** The records as text, ordered by the bucket's name and by key. */
    List<ResourceDb.RawRecord> raw() {
        return Arrays.stream(Bucket.values())
                .sorted(Comparator.comparing(Bucket::text))
                .flatMap(bucket -> of(bucket).stream().map(record -> raw(bucket, record)))
                .toList();
    }

    private static ResourceDb.RawRecord raw(Bucket bucket, Map.Entry<String, byte[]> record) {
        return new ResourceDb.RawRecord(bucket.text(), record.getKey(), new String(record.getValue(), UTF_8));
    }

    /** The records as the engine's values; throws StoreException if one cannot be read, or a newer program wrote it. */
    ResourceDb.Contents contents(RecordCodec codec) {
        return new ResourceDb.Contents(
                decode(Bucket.LEASES, codec::lease),
                Stream.of(Bucket.RESERVATIONS, Bucket.QUARANTINE)
                        .flatMap(bucket -> decode(bucket, (key, json) -> codec.hold(bucket, key, json)).stream())
                        .toList(),
                decode(Bucket.INTENTS, codec::intent),
                decode(Bucket.OPERATIONS, codec::operation),
                decode(Bucket.PODS, codec::pod),
                find(Bucket.META, NodeJson.KEY).map(codec::node));
    }

    /** The records of one bucket as the engine's values; throws as {@link #contents} does. */
    <T> List<T> decode(Bucket bucket, BiFunction<String, byte[], T> decoder) {
        return of(bucket).stream()
                .map(record -> decoder.apply(record.getKey(), record.getValue()))
                .toList();
    }
}
