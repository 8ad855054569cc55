package io.enipam.store;

import java.util.List;
import java.util.Map;

/**
 * All records at one moment between two commits. The byte arrays are shared and never written.
 *
 * @param generation the last commit in it
 * @param buckets the records of each bucket, ascending by key
 */
record Snapshot(long generation, Map<Bucket, List<Map.Entry<String, byte[]>>> buckets) {
    List<Map.Entry<String, byte[]>> of(Bucket bucket) {
        return buckets.getOrDefault(bucket, List.of());
    }
}
