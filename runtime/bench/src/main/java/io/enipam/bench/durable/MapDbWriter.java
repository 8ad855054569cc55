package io.enipam.bench.durable;

import java.nio.file.Path;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** MapDB as its manual has it: a file with transactions on, a put and a commit for each record, from any thread. */
final class MapDbWriter implements DurableWriter {
    private final DB db;
    private final BTreeMap<String, byte[]> records;
    private final byte[] record;

    /** @param record what is put, under a key of its own each time */
    MapDbWriter(Path directory, byte[] record) {
        this.db = DBMaker.fileDB(directory.resolve("mapdb").toFile())
                .fileChannelEnable()
                .transactionEnable()
                .make();
        this.records =
                db.treeMap("leases", Serializer.STRING, Serializer.BYTE_ARRAY).create();
        this.record = record.clone();
        db.commit();
    }

    @Override
    public String name() {
        return "MapDB commit";
    }

    @Override
    public void put(int caller, int index) {
        records.put(EngineAddWriter.key(caller, index), record);
        db.commit();
    }

    @Override
    public void clear(int caller, int index) {
        records.remove(EngineAddWriter.key(caller, index));
        if (index % 16 == 0) {
            db.commit();
        }
    }

    @Override
    public void close() {
        db.close();
    }
}
