package io.enipam.store;

import io.enipam.store.RecordJson.DatabaseJson;
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
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.mapdb.DBException;
import org.mapdb.volume.ByteArrayVol;
import io.enipam.store.Disk.DiskFile;
import java.util.zip.CRC32C;

/** Reads a checkpoint and believes it only if MapDB's checksum and our seal both hold. */
final class CheckpointFile {
    private CheckpointFile() {}

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
            return new StoreSnapshot(
                    generation, Optional.ofNullable(own.get(CheckpointWriter.JOURNAL)), buckets(trees));
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

    /**
     * Writes a snapshot as a MapDB file that any MapDB opens read-only: one tree a bucket, a tree {@code proofs} with a checksum
     * for each record, and a tree {@code checkpoint} with
     * format and seal. MapDB makes the file in memory, and {@link Disk} puts it where it belongs, so that nothing is written that
     * the wall does not see. The file gets its name when all of it is durable, so a file with a checkpoint's name is whole.
     */
    record CheckpointWriter(Disk disk, StoreDirectory directory) {
        /** The tree that says what the checkpoint is. */
        static final String TREE = "checkpoint";

        static final String SEAL = "seal";
        /** Of the database, when the checkpoint was written; format 1 did not say it. */
        static final String FORMAT = "format";
        /** The name of the journal file that the next commit was to go to: without it or a later one, commits are missing. */
        static final String JOURNAL = "journal";

        void write(StoreSnapshot snapshot) throws IOException {
            Path file = directory.checkpoint(snapshot.generation());
            Path unfinished = StoreDirectory.unfinished(file);
            byte[] image = image(snapshot);
            disk.delete(unfinished);
            try (DiskFile out = disk.create(unfinished)) {
                out.write(ByteBuffer.wrap(image), 0);
                out.force();
            } catch (IOException e) {
                deleteAfter(e, unfinished); // its room may be what the disk lacks
                throw e;
            }
            disk.rename(unfinished, file);
            disk.forceDirectory(directory.path());
        }

        private void deleteAfter(IOException cause, Path unfinished) {
            try {
                disk.delete(unfinished);
            } catch (IOException e) {
                cause.addSuppressed(e);
            }
        }

        /** The bytes of a snapshot's checkpoint. */
        static byte[] image(StoreSnapshot snapshot) throws IOException {
            ByteArrayVol volume = new ByteArrayVol();
            try (DB db = DBMaker.volumeDB(volume, false).checksumStoreEnable().make()) {
                for (Bucket bucket : Bucket.values()) {
                    DB.TreeMapSink<String, byte[]> sink = db.treeMap(
                                    bucket.text(), Serializer.STRING, Serializer.BYTE_ARRAY)
                            .createFromSink();
                    for (Map.Entry<String, byte[]> record : snapshot.of(bucket)) {
                        sink.put(record.getKey(), record.getValue());
                    }
                    sink.create();
                }
                writeProofs(db, snapshot);
                Map<String, String> own =
                        db.treeMap(TREE, Serializer.STRING, Serializer.STRING).create();
                own.put(FORMAT, Integer.toString(DatabaseJson.FORMAT));
                snapshot.journal().ifPresent(name -> own.put(JOURNAL, name));
                own.put(SEAL, CheckpointSeal.of(snapshot).text());
                db.commit();
                return bytes(volume);
            } catch (DBException e) {
                throw new IOException("MapDB cannot make a checkpoint: " + e.getMessage(), e);
            }
        }

        private static void writeProofs(DB db, StoreSnapshot snapshot) {
            NavigableMap<String, Integer> proofs = new TreeMap<>();
            for (Bucket bucket : Bucket.values()) {
                for (Map.Entry<String, byte[]> record : snapshot.of(bucket)) {
                    proofs.put(
                            RecordChecksums.name(bucket, record.getKey()),
                            RecordChecksums.of(snapshot.generation(), bucket, record.getKey(), record.getValue()));
                }
            }
            DB.TreeMapSink<String, Integer> sink = db.treeMap(RecordChecksums.TREE, Serializer.STRING, Serializer.INTEGER)
                    .createFromSink();
            proofs.forEach(sink::put);
            sink.create();
        }

        /** All of a volume, which is gone once its database is closed. */
        private static byte[] bytes(ByteArrayVol volume) {
            byte[] all = new byte[Math.toIntExact(volume.length())];
            for (int at = 0; at < all.length; at += volume.sliceSize()) {
                volume.getData(at, all, at, Math.min(volume.sliceSize(), all.length - at));
            }
            return all;
        }
    }

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

    /**
     * A checksum for each record of a checkpoint, in a tree beside the records. The seal proves a checkpoint as a whole; if it
     * is broken, a record that still agrees with its own checksum is what was written all the same.
     */
    static final class RecordChecksums {
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
}
