package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.store.Disk.DiskFile;
import io.enipam.store.RecordJson.DatabaseJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBException;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.serializer.GroupSerializer;
import org.mapdb.volume.ByteArrayVol;
import org.mapdb.volume.ReadOnlyVolume;
import org.mapdb.volume.SingleByteArrayVol;
import org.mapdb.volume.Volume;

/**
 * A snapshot as a MapDB file that any MapDB opens read-only: one tree a bucket, a tree {@code proofs} with a checksum for each record,
 * and a tree {@code checkpoint} with format and seal. MapDB makes the file in memory, and {@link Disk} puts it where it belongs. The
 * file gets its name when all of it is durable, so a file with a checkpoint's name is whole. A checkpoint is used only if MapDB's
 * checksum and the seal both hold; if the seal is broken, a record that agrees with its own checksum is what was written all the same.
 */
final class CheckpointFile {
    /** The tree of checksums, from {@link #proofName} to {@link #proof}. */
    static final String PROOFS = "proofs";

    /** The tree that says what the checkpoint is. */
    private static final String TREE = "checkpoint";

    private static final String SEAL = "seal";

    /** Of the database, when the checkpoint was written; format 1 did not say it. */
    private static final String FORMAT = "format";

    /** The name of the journal file that the next commit was to go to: without it or a later one, commits are missing. */
    private static final String JOURNAL = "journal";

    private CheckpointFile() {}

    /** Throws IOException if the file is not what was written, StoreException if a newer program wrote it. */
    static StoreSnapshot read(Disk disk, Path file, long generation) throws IOException {
        Volume image = new ReadOnlyVolume(new SingleByteArrayVol(disk.read(file)));
        try (DB db =
                DBMaker.volumeDB(image, true).checksumStoreEnable().readOnly().make()) {
            Map<String, String> own =
                    db.treeMap(TREE, Serializer.STRING, Serializer.STRING).open();
            int format = Integer.parseInt(own.getOrDefault(FORMAT, "1"));
            RecordCodec.checkFormat("checkpoint " + file, format);
            Map<String, List<Map.Entry<String, byte[]>>> trees = trees(db, names(format));
            String expected = seal(generation, trees);
            String seal = own.get(SEAL);
            if (!Objects.equals(seal, expected)) {
                throw new IOException("its seal is '" + seal + "', its content gives '" + expected + "'");
            }
            return new StoreSnapshot(generation, Optional.ofNullable(own.get(JOURNAL)), buckets(trees));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException | AssertionError | OutOfMemoryError | StackOverflowError e) {
            // MapDB answers damage with whatever the wrong bytes lead it into, errors included
            throw new IOException("MapDB cannot read it: " + e, e);
        }
    }

    private static List<String> names(int format) {
        return format == 1
                ? Bucket.LEGACY_CHECKPOINT
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
        for (Map.Entry<String, byte[]> hold : trees.getOrDefault(Bucket.LEGACY_HOLDS, List.of())) {
            Bucket bucket = Bucket.ofLegacyHold(new String(hold.getValue(), UTF_8));
            buckets.computeIfAbsent(bucket, none -> new ArrayList<>()).add(hold);
        }
        return buckets;
    }

    static void write(Disk disk, StoreDirectory directory, StoreSnapshot snapshot) throws IOException {
        Path file = directory.checkpoint(snapshot.generation());
        Path unfinished = StoreDirectory.unfinished(file);
        byte[] image = image(snapshot);
        disk.delete(unfinished);
        try (DiskFile out = disk.create(unfinished)) {
            out.write(ByteBuffer.wrap(image), 0);
            out.force();
        } catch (IOException e) {
            disk.deleteAfter(e, unfinished); // its room may be what the disk lacks
            throw e;
        }
        disk.renameDurably(unfinished, file);
    }

    static byte[] image(StoreSnapshot snapshot) throws IOException {
        ByteArrayVol volume = new ByteArrayVol();
        try (DB db = DBMaker.volumeDB(volume, false).checksumStoreEnable().make()) {
            Map<String, List<Map.Entry<String, byte[]>>> records = new LinkedHashMap<>();
            NavigableMap<String, Integer> proofs = new TreeMap<>();
            for (Bucket bucket : Bucket.values()) {
                records.put(bucket.text(), snapshot.of(bucket));
                DB.TreeMapSink<String, byte[]> sink = db.treeMap(
                                bucket.text(), Serializer.STRING, Serializer.BYTE_ARRAY)
                        .createFromSink();
                for (Map.Entry<String, byte[]> record : snapshot.of(bucket)) {
                    sink.put(record.getKey(), record.getValue());
                    proofs.put(
                            proofName(bucket, record.getKey()),
                            proof(snapshot.generation(), bucket, record.getKey(), record.getValue()));
                }
                sink.create();
            }
            DB.TreeMapSink<String, Integer> sink =
                    db.treeMap(PROOFS, Serializer.STRING, Serializer.INTEGER).createFromSink();
            proofs.forEach(sink::put);
            sink.create();
            Map<String, String> own =
                    db.treeMap(TREE, Serializer.STRING, Serializer.STRING).create();
            own.put(FORMAT, Integer.toString(DatabaseJson.FORMAT));
            snapshot.journal().ifPresent(name -> own.put(JOURNAL, name));
            own.put(SEAL, seal(snapshot.generation(), records));
            db.commit();
            return bytes(volume);
        } catch (DBException e) {
            throw new IOException("MapDB cannot make a checkpoint: " + e.getMessage(), e);
        }
    }

    /** All of a volume, which is gone once its database is closed. */
    private static byte[] bytes(ByteArrayVol volume) {
        byte[] all = new byte[Math.toIntExact(volume.length())];
        for (int at = 0; at < all.length; at += volume.sliceSize()) {
            volume.getData(at, all, at, Math.min(volume.sliceSize(), all.length - at));
        }
        return all;
    }

    /**
     * What a checkpoint says of its own content, beside MapDB's checksum of the store: the last commit, the number of records, and the
     * CRC32C of every bucket, key and record in order.
     *
     * @param trees the records by the name of their bucket, in the order of the format
     */
    private static String seal(long generation, Map<String, List<Map.Entry<String, byte[]>>> trees) {
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
        return "generation=" + generation + " count=" + count + " crc32c=" + Long.toHexString(crc.getValue());
    }

    static String proofName(Bucket bucket, String key) {
        return bucket.text() + "/" + key;
    }

    /** @param generation of the checkpoint, so that a file under another's name proves nothing */
    static int proof(long generation, Bucket bucket, String key, byte[] record) {
        CRC32C crc = new CRC32C();
        crc.update((generation + "\t" + bucket.text() + "\t" + key + "\t").getBytes(UTF_8));
        crc.update(record);
        return (int) crc.getValue();
    }

    /**
     * Reads what is left of a checkpoint that does not prove itself as a whole: each record that agrees with its own checksum,
     * and no other one.
     *
     * <p>Wrong bytes lead MapDB anywhere: into errors, and into loops. So a tree is left at the first key that is not above the
     * one before, and the reading as a whole has a time limit.
     */
    static final class DamagedCheckpointReader {
        private static final int SECONDS = 20;
        /** The first eight bytes of a store of MapDB 3 without features, which has a 1 where the checksum would be. */
        private static final long NO_CHECKSUM = 0x4A03_0000_0000_0000L;

        private final byte[] image;
        private final long generation;
        private final List<Record> proven = new ArrayList<>(); // by this
        private int unproven; // by this

        private DamagedCheckpointReader(byte[] image, long generation) {
            this.image = withoutChecksum(image);
            this.generation = generation;
        }

        /** @param key unique within the bucket */
        @SuppressWarnings("ArrayRecordComponent") // never compared
        record Record(Bucket bucket, String key, byte[] json) {}

        /** @param unproven records that could be read and are not used, since nothing proves them */
        record Reading(List<Record> proven, int unproven) {}

        /** @param generation what the file's name says */
        static Reading read(byte[] image, long generation) {
            DamagedCheckpointReader checkpoint = new DamagedCheckpointReader(image, generation);
            ExecutorService thread = Executors.newSingleThreadExecutor(DaemonThreads.named("store-salvage"));
            Future<?> reading = thread.submit(checkpoint::readAll);
            try {
                reading.get(SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException | ExecutionException e) {
                // what was read so far proves itself record by record
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                thread.shutdown();
            }
            return checkpoint.found();
        }

        /** A copy that says it has no checksum of the whole: MapDB opens nothing whose checksum does not hold. */
        private static byte[] withoutChecksum(byte[] image) {
            byte[] copy = Arrays.copyOf(image, Math.max(image.length, 2 * Long.BYTES));
            ByteBuffer.wrap(copy).putLong(NO_CHECKSUM).putLong(1);
            return copy;
        }

        private synchronized Reading found() {
            return new Reading(List.copyOf(proven), unproven);
        }

        private void readAll() {
            Volume volume = new ReadOnlyVolume(new SingleByteArrayVol(image));
            try (DB db = DBMaker.volumeDB(volume, true)
                    .checksumHeaderBypass()
                    .readOnly()
                    .make()) {
                Map<String, Integer> proofs = new HashMap<>();
                walk(db, CheckpointFile.PROOFS, Serializer.INTEGER, proofs::put);
                for (Bucket bucket : Bucket.values()) {
                    walk(db, bucket.text(), Serializer.BYTE_ARRAY, (key, json) -> take(proofs, bucket, key, json));
                }
            } catch (RuntimeException | AssertionError | OutOfMemoryError | StackOverflowError e) {
                // as CheckpointFile knows, MapDB answers damage with errors, too; what was read before counts
            }
        }

        private synchronized void take(Map<String, Integer> proofs, Bucket bucket, String key, byte[] json) {
            Optional<Integer> proof = Optional.ofNullable(proofs.get(CheckpointFile.proofName(bucket, key)));
            if (proof.equals(Optional.of(CheckpointFile.proof(generation, bucket, key, json)))) {
                proven.add(new Record(bucket, key, json));
            } else {
                unproven++;
            }
        }

        private static <V> void walk(DB db, String tree, GroupSerializer<V> values, BiConsumer<String, V> visitor) {
            try {
                if (!db.exists(tree)) {
                    return;
                }
                BTreeMap<String, V> records =
                        db.treeMap(tree, Serializer.STRING, values).open();
                String before = "";
                for (Map.Entry<String, V> record : records.getEntries()) {
                    if (record.getKey().compareTo(before) <= 0) {
                        return;
                    }
                    before = record.getKey();
                    visitor.accept(before, record.getValue());
                }
            } catch (RuntimeException | AssertionError | OutOfMemoryError | StackOverflowError e) {
                // this tree ends here; the next one may be whole
            }
        }
    }
}
