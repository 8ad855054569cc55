package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

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
    static CheckpointSeal of(Snapshot snapshot) {
        CRC32C crc = new CRC32C();
        long count = 0;
        for (Bucket bucket : Bucket.values()) {
            for (Map.Entry<String, byte[]> record : snapshot.of(bucket)) {
                crc.update((bucket.text() + '\t' + record.getKey() + '\t').getBytes(UTF_8));
                crc.update(record.getValue());
                crc.update('\n');
                count++;
            }
        }
        return new CheckpointSeal(snapshot.generation(), count, crc.getValue());
    }

    String text() {
        return "generation=" + generation + " count=" + count + " crc32c=" + Long.toHexString(crc);
    }
}
