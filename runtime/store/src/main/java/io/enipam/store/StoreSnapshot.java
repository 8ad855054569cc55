package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.RecordJson.NodeJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
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
    private static final int MANY = 1000;
    private static final Executor DECODER = DaemonThreads.each("store-decoder");

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

    /**
     * The records of one bucket as the engine's values; throws as {@link #contents} does. Of many, a thread of its own decodes one half:
     * a start waits for that, and ten thousand records in a cold JVM take a good part of a second.
     */
    <T> List<T> decode(Bucket bucket, BiFunction<String, byte[], T> decoder) {
        List<Map.Entry<String, byte[]>> records = of(bucket);
        if (records.size() < MANY) {
            return decode(records, decoder);
        }
        int half = records.size() / 2;
        CompletableFuture<List<T>> later =
                CompletableFuture.supplyAsync(() -> decode(records.subList(half, records.size()), decoder), DECODER);
        List<T> all = new ArrayList<>(decode(records.subList(0, half), decoder));
        try {
            all.addAll(later.join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof StoreException unreadable ? unreadable : e;
        }
        return Collections.unmodifiableList(all);
    }

    private static <T> List<T> decode(List<Map.Entry<String, byte[]>> records, BiFunction<String, byte[], T> decoder) {
        return records.stream()
                .map(record -> decoder.apply(record.getKey(), record.getValue()))
                .toList();
    }
}
