package io.enipam.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.mapdb.DB;
import org.mapdb.DBException;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.volume.ByteArrayVol;

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
