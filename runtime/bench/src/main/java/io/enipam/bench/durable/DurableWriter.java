package io.enipam.bench.durable;

import io.enipam.bench.LoadGenerator;
import io.enipam.bench.LoadGenerator.Measurement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** Something that makes records durable, for a number of callers. */
public interface DurableWriter extends AutoCloseable {
    String name();

    /** Makes one record durable; returns when it is. */
    void put(int caller, int index) throws Exception;

    /** Prepares space for the next batch; not timed. */
    void clear(int caller, int index) throws Exception;

    @Override
    void close() throws IOException;

    /**
     * Puts batch after batch, of so many records of each caller, for a while, and takes each away again. Only the
     * putting is timed.
     */
    default Measurement measure(LoadGenerator callers, int batch, long nanos) throws InterruptedException {
        List<long[]> times = new ArrayList<>();
        List<long[]> ignored = new ArrayList<>();
        long spent = 0;
        while (spent < nanos) {
            spent += callers.each(batch, this::put, times);
            callers.each(batch, this::clear, ignored);
            ignored.clear();
        }
        return Measurement.of(spent, times);
    }

    /** MapDB as its manual has it: a file with transactions on, a put and a commit for each record, from any thread. */
    static final class MapDbWriter implements DurableWriter {
        private final DB db;
        private final BTreeMap<String, byte[]> records;
        private final byte[] record;

        /** @param record what is put, under a key of its own each time */
        MapDbWriter(Path directory, byte[] record) {
            this.db = DBMaker.fileDB(directory.resolve("mapdb").toFile())
                    .fileChannelEnable()
                    .transactionEnable()
                    .make();
            this.records = db.treeMap("leases", Serializer.STRING, Serializer.BYTE_ARRAY)
                    .create();
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

    /**
     * As many bytes as a lease's commit takes, written to a file that was filled before, and forced: what the disk can
     * do.
     */
    static final class RawFsyncWriter implements DurableWriter {
        private static final int FILE_BYTES = 8 << 20;

        private final Path file;
        private final FileChannel channel;
        private final ByteBuffer record;
        private long end;

        RawFsyncWriter(Path directory, int bytes) throws IOException {
            this.file = directory.resolve("bare-force");
            this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            this.record = ByteBuffer.allocateDirect(bytes);
            ByteBuffer zeroes = ByteBuffer.allocateDirect(1 << 16);
            for (long at = 0; at < FILE_BYTES; at += zeroes.capacity()) {
                channel.write(zeroes.clear(), at);
            }
            channel.force(true);
        }

        @Override
        public String name() {
            return "bare force";
        }

        @Override
        public void put(int caller, int index) throws IOException {
            if (end + record.capacity() > FILE_BYTES) {
                end = 0;
            }
            record.clear();
            while (record.hasRemaining()) {
                end += channel.write(record, end);
            }
            channel.force(false);
        }

        @Override
        public void clear(int caller, int index) {
            // the file is written over again and again
        }

        @Override
        public void close() throws IOException {
            channel.close();
            Files.delete(file);
        }
    }
}
