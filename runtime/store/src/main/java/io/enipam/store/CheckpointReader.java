package io.enipam.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.volume.ReadOnlyVolume;
import org.mapdb.volume.SingleByteArrayVol;
import org.mapdb.volume.Volume;

/** Reads a checkpoint and believes it only if MapDB's checksum and our seal both hold. */
final class CheckpointReader {
    private CheckpointReader() {}

    /**
     * @param generation what the file's name says
     * @throws IOException if it is not what was written
     */
    static Snapshot read(Disk disk, Path file, long generation) throws IOException {
        Volume image = new ReadOnlyVolume(new SingleByteArrayVol(disk.read(file)));
        try (DB db =
                DBMaker.volumeDB(image, true).checksumStoreEnable().readOnly().make()) {
            Snapshot snapshot = new Snapshot(generation, buckets(db));
            String seal = db.treeMap(CheckpointWriter.SEAL, Serializer.STRING, Serializer.STRING)
                    .open()
                    .get("seal");
            String expected = CheckpointSeal.of(snapshot).text();
            if (!Objects.equals(seal, expected)) {
                throw new IOException("its seal is '" + seal + "', its content gives '" + expected + "'");
            }
            return snapshot;
        } catch (RuntimeException | AssertionError | OutOfMemoryError | StackOverflowError e) {
            // MapDB answers damage with whatever the wrong bytes lead it into, errors included
            throw new IOException("MapDB cannot read it: " + e, e);
        }
    }

    private static Map<Bucket, List<Map.Entry<String, byte[]>>> buckets(DB db) {
        Map<Bucket, List<Map.Entry<String, byte[]>>> buckets = new EnumMap<>(Bucket.class);
        for (Bucket bucket : Bucket.values()) {
            List<Map.Entry<String, byte[]>> records = new ArrayList<>();
            // a checkpoint of before a bucket came to be lacks its tree; were it lost instead, the seal would not hold
            if (db.exists(bucket.text())) {
                db.treeMap(bucket.text(), Serializer.STRING, Serializer.BYTE_ARRAY)
                        .open()
                        .forEach((key, record) -> records.add(Map.entry(key, record)));
            }
            buckets.put(bucket, records);
        }
        return buckets;
    }
}
