package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * What a checkpoint says of its own content, beside MapDB's checksum of the store.
 *
 * @param generation the last commit in it
 * @param count records in all buckets
 * @param crc CRC32C of every bucket, key and record in order
 */
record CheckpointSeal(long generation, long count, long crc) {
    static CheckpointSeal of(StoreSnapshot snapshot) {
        Map<String, List<Map.Entry<String, byte[]>>> trees = new LinkedHashMap<>();
        for (Bucket bucket : Bucket.values()) {
            trees.put(bucket.text(), snapshot.of(bucket));
        }
        return of(snapshot.generation(), trees);
    }

    /** @param trees the records by the name of their bucket, in the order of the format */
    static CheckpointSeal of(long generation, Map<String, List<Map.Entry<String, byte[]>>> trees) {
        CRC32C crc = new CRC32C();
        long count = 0;
        for (Map.Entry<String, List<Map.Entry<String, byte[]>>> tree : trees.entrySet()) {
            for (Map.Entry<String, byte[]> record : tree.getValue()) {
                crc.update((tree.getKey() + '\t' + record.getKey() + '\t').getBytes(UTF_8));
                crc.update(record.getValue());
                crc.update('\n');
                count++;
            }
        }
        return new CheckpointSeal(generation, count, crc.getValue());
    }

    String text() {
        return "generation=" + generation + " count=" + count + " crc32c=" + Long.toHexString(crc);
    }
}
