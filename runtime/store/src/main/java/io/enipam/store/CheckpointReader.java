package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
     * @throws StoreException if a newer program wrote it
     */
    static StoreSnapshot read(Disk disk, Path file, long generation) throws IOException {
        Volume image = new ReadOnlyVolume(new SingleByteArrayVol(disk.read(file)));
        try (DB db =
                DBMaker.volumeDB(image, true).checksumStoreEnable().readOnly().make()) {
            Map<String, String> own = db.treeMap(CheckpointWriter.TREE, Serializer.STRING, Serializer.STRING)
                    .open();
            int format = Integer.parseInt(own.getOrDefault(CheckpointWriter.FORMAT, "1"));
            RecordCodec.checkFormat("checkpoint " + file, format);
            Map<String, List<Map.Entry<String, byte[]>>> trees = trees(db, names(format));
            String expected = CheckpointSeal.of(generation, trees).text();
            String seal = own.get(CheckpointWriter.SEAL);
            if (!Objects.equals(seal, expected)) {
                throw new IOException("its seal is '" + seal + "', its content gives '" + expected + "'");
            }
            return new StoreSnapshot(generation, Optional.ofNullable(own.get(CheckpointWriter.JOURNAL)), buckets(trees));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException | AssertionError | OutOfMemoryError | StackOverflowError e) {
            // MapDB answers damage with whatever the wrong bytes lead it into, errors included
            throw new IOException("MapDB cannot read it: " + e, e);
        }
    }

    private static List<String> names(int format) {
        return format == 1
                ? LegacyHoldBucket.CHECKPOINT
                : Arrays.stream(Bucket.values()).map(Bucket::text).toList();
    }

    private static Map<String, List<Map.Entry<String, byte[]>>> trees(DB db, List<String> names) {
        Map<String, List<Map.Entry<String, byte[]>>> trees = new LinkedHashMap<>();
        for (String name : names) {
            List<Map.Entry<String, byte[]>> records = new ArrayList<>();
            // a checkpoint of before a bucket came to be lacks its tree; were it lost instead, the seal would not hold
            if (db.exists(name)) {
                db.treeMap(name, Serializer.STRING, Serializer.BYTE_ARRAY)
                        .open()
                        .forEach((key, record) -> records.add(Map.entry(key, record)));
            }
            trees.put(name, records);
        }
        return trees;
    }

    private static Map<Bucket, List<Map.Entry<String, byte[]>>> buckets(
            Map<String, List<Map.Entry<String, byte[]>>> trees) {
        Map<Bucket, List<Map.Entry<String, byte[]>>> buckets = new EnumMap<>(Bucket.class);
        for (Bucket bucket : Bucket.values()) {
            buckets.put(bucket, new ArrayList<>(trees.getOrDefault(bucket.text(), List.of())));
        }
        // ascending by key before, so ascending by key in each of the two
        for (Map.Entry<String, byte[]> hold : trees.getOrDefault(LegacyHoldBucket.BUCKET, List.of())) {
            Bucket bucket = LegacyHoldBucket.bucket(new String(hold.getValue(), UTF_8));
            buckets.computeIfAbsent(bucket, none -> new ArrayList<>()).add(hold);
        }
        return buckets;
    }
}
