package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.zip.CRC32C;

/**
 * A checksum for each record of a checkpoint, in a tree beside the records. The seal proves a checkpoint as a whole; if it
 * is broken, a record that still agrees with its own checksum is what was written all the same.
 */
final class RecordChecksums {
    /** The tree's name: from bucket, slash and key to {@link #of}. */
    static final String TREE = "proofs";

    private RecordChecksums() {}

    static String name(Bucket bucket, String key) {
        return bucket.text() + "/" + key;
    }

    /** @param generation of the checkpoint, so that a file under another's name proves nothing */
    static int of(long generation, Bucket bucket, String key, byte[] record) {
        CRC32C crc = new CRC32C();
        crc.update((generation + "\t" + bucket.text() + "\t" + key + "\t").getBytes(UTF_8));
        crc.update(record);
        return (int) crc.getValue();
    }
}
