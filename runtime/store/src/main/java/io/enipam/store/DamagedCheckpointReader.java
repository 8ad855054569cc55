package io.enipam.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.serializer.GroupSerializer;
import org.mapdb.volume.ReadOnlyVolume;
import org.mapdb.volume.SingleByteArrayVol;
import org.mapdb.volume.Volume;

/**
 * Reads what is left of a checkpoint that does not prove itself as a whole: each record that agrees with its own checksum,
 * and no other one.
 *
 * <p>Wrong bytes lead MapDB anywhere: into errors, and into loops. So a tree is left at the first key that is not above the
 * one before, and the reading as a whole has a time limit.
 */
final class DamagedCheckpointReader {
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

    /**
     * What was found.
     *
     * @param unproven records that could be read and are not used, since nothing proves them
     */
    record Reading(List<Record> proven, int unproven) {}

    /**
     * @param image the file's bytes
     * @param generation what the file's name says
     */
    static Reading read(byte[] image, long generation) {
        DamagedCheckpointReader checkpoint = new DamagedCheckpointReader(image, generation);
        ExecutorService thread = Executors.newSingleThreadExecutor(StoreThreads.named("store-salvage"));
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
        try (DB db =
                DBMaker.volumeDB(volume, true).checksumHeaderBypass().readOnly().make()) {
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
