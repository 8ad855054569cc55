package io.enipam.store.view;

import io.enipam.store.journal.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBException;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * A copy of the live view on disk, as a MapDB file that anyone can open read-only: the tree {@code records}, and the map
 * {@code about} with the generation, the count and the CRC32C of all records. It is written under another name, closed,
 * forced and renamed, so that a file under its own name is whole; MapDB's checksum and ours are both checked before it is
 * believed.
 *
 * @param generation the last generation of the journal that is in it
 * @param records everything at that generation, by {@code BUCKET/KEY}
 */
public record Checkpoint(long generation, SortedMap<String, byte[]> records) {
    /** How many are kept: the newest, and one to fall back to. */
    public static final int KEPT = 2;

    private static final String PREFIX = "checkpoint-";
    private static final String SUFFIX = ".mapdb";

    /** Writes it to a directory, durable under its name when this returns. */
    public void write(Disk disk, Path directory) throws IOException {
        Path path = directory.resolve(name(generation));
        Path temporary = directory.resolve(name(generation) + ".tmp");
        disk.delete(temporary);
        try (DB db = maker(temporary).make()) {
            DB.TreeMapSink<String, byte[]> sink = db.treeMap("records", Serializer.STRING, Serializer.BYTE_ARRAY)
                    .valuesOutsideNodesEnable()
                    .createFromSink();
            records.forEach(sink::put);
            sink.create();
            BTreeMap<String, Long> about =
                    db.treeMap("about", Serializer.STRING, Serializer.LONG).create();
            about.put("generation", generation);
            about.put("count", (long) records.size());
            about.put("crc32c", checksum(records));
            db.commit();
        } catch (DBException e) {
            throw new IOException("checkpoint " + path + " could not be written: " + e.getMessage(), e);
        }
        try (Disk.OpenFile file = disk.open(temporary)) {
            file.force();
        }
        disk.rename(temporary, path);
        disk.forceDirectory(directory);
    }

    /** Reads the newest checkpoint that is whole, or an empty one of generation 0 if there is none. */
    public static Checkpoint newest(Disk disk, Path directory) throws IOException {
        for (long generation : generations(disk, directory)) {
            Optional<Checkpoint> whole = read(directory.resolve(name(generation)), generation);
            if (whole.isPresent()) {
                return whole.get();
            }
        }
        return new Checkpoint(0, new TreeMap<>());
    }

    /**
     * Deletes all but the newest ones.
     *
     * @return the generation of the oldest that is kept; 0 while there are fewer than are to be kept
     */
    public static long prune(Disk disk, Path directory) throws IOException {
        List<Long> all = generations(disk, directory);
        for (long old : all.subList(Math.min(KEPT, all.size()), all.size())) {
            disk.delete(directory.resolve(name(old)));
        }
        return all.size() < KEPT ? 0 : all.get(KEPT - 1);
    }

    private static Optional<Checkpoint> read(Path path, long generation) {
        try (DB db = maker(path).readOnly().make()) {
            Map<String, Long> about =
                    db.treeMap("about", Serializer.STRING, Serializer.LONG).open();
            TreeMap<String, byte[]> records =
                    new TreeMap<>(db.treeMap("records", Serializer.STRING, Serializer.BYTE_ARRAY)
                            .valuesOutsideNodesEnable()
                            .open());
            boolean whole = Long.valueOf(generation).equals(about.get("generation"))
                    && Long.valueOf(records.size()).equals(about.get("count"))
                    && Long.valueOf(checksum(records)).equals(about.get("crc32c"));
            return whole ? Optional.of(new Checkpoint(generation, records)) : Optional.empty();
        } catch (RuntimeException | AssertionError | OutOfMemoryError | StackOverflowError e) {
            // MapDB meets damage with whatever exception comes first: the older checkpoint and the journal take over
            return Optional.empty();
        }
    }

    private static DBMaker.Maker maker(Path path) {
        return DBMaker.fileDB(path.toFile())
                .fileChannelEnable()
                .checksumStoreEnable()
                .fileLockDisable();
    }

    private static List<Long> generations(Disk disk, Path directory) throws IOException {
        return disk.list(directory).stream()
                .filter(name -> name.matches(PREFIX + "\\d{19}\\" + SUFFIX))
                .map(name -> Long.parseLong(name.substring(PREFIX.length(), name.length() - SUFFIX.length())))
                .sorted(Comparator.reverseOrder())
                .toList();
    }

    private static String name(long generation) {
        return String.format("%s%019d%s", PREFIX, generation, SUFFIX);
    }

    private static long checksum(SortedMap<String, byte[]> records) {
        CRC32C crc = new CRC32C();
        records.forEach((key, value) -> {
            crc.update(key.getBytes(StandardCharsets.UTF_8));
            crc.update(0);
            crc.update(value);
        });
        return crc.getValue();
    }
}
