package io.enipam.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All records at one moment between two commits. The byte arrays are shared and never written.
 *
 * @param generation the last commit in it
 * @param journal the name of the journal file that the next commit was to go to; empty if nobody knows
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
}
