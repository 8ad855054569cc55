package io.enipam.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.mapdb.DB;
import org.mapdb.DBException;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * Writes a snapshot as a MapDB file that any MapDB opens read-only: one tree a bucket, a tree {@code proofs} with
 * a checksum for each record, and a tree {@code checkpoint} with the seal. The file gets its name when all of it is durable, so a file with a checkpoint's name is whole.
 */
record CheckpointWriter(Disk disk, StoreDirectory directory) {
    static final String SEAL = "checkpoint";

    void write(Snapshot snapshot) throws IOException {
        Path file = directory.checkpoint(snapshot.generation());
        Path unfinished = StoreDirectory.unfinished(file);
        disk.delete(unfinished);
        try {
            fill(unfinished, snapshot);
        } catch (DBException e) {
            throw new IOException("cannot write " + unfinished + ": " + e.getMessage(), e);
        }
        if (Files.getFileStore(unfinished).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-------"));
        }
        disk.forceFile(unfinished);
        disk.rename(unfinished, file);
        disk.forceDirectory(directory.path());
    }

    private static void fill(Path file, Snapshot snapshot) {
        try (DB db = DBMaker.fileDB(file.toFile())
                .fileChannelEnable()
                .checksumStoreEnable()
                .make()) {
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
            db.treeMap(SEAL, Serializer.STRING, Serializer.STRING)
                    .create()
                    .put("seal", CheckpointSeal.of(snapshot).text());
            db.commit();
        }
    }

    private static void writeProofs(DB db, Snapshot snapshot) {
        NavigableMap<String, Integer> proofs = new TreeMap<>();
        for (Bucket bucket : Bucket.values()) {
            for (Map.Entry<String, byte[]> record : snapshot.of(bucket)) {
                proofs.put(
                        CheckpointProofs.name(bucket, record.getKey()),
                        CheckpointProofs.of(snapshot.generation(), bucket, record.getKey(), record.getValue()));
            }
        }
        DB.TreeMapSink<String, Integer> sink = db.treeMap(CheckpointProofs.TREE, Serializer.STRING, Serializer.INTEGER)
                .createFromSink();
        proofs.forEach(sink::put);
        sink.create();
    }
}
