package io.enipam.bench.durable;

import com.google.protobuf.ByteString;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.ResourceDb;
import io.enipam.etcd.EtcdJournals;
import io.enipam.etcd.EtcdSettings;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Table;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.tables.PluginTables;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The journals of a plugin, and a bare put of etcd's, as writers of one record under a key of the caller's. */
final class JournalWriters {
    /** As long as a record of an address with its owner is. */
    static final String RECORD =
            "{\"block\":\"10.64.12.0/24\",\"node\":\"i-8vb1f2m3n4p5q6r7s8t9\",\"since\":\"2026-11-21T08:15:30Z\","
                    + "\"owner\":\"default/web-6d4cf56db6-x7k2p\",\"uid\":\"746930e7-44f5-438a-be78-351fb8eb0a81\",\"state\":\"GIVEN\"}";

    private static final Table<String> TABLE = new Table<>("blocks", 1, Codec.text());

    private JournalWriters() {}

    /** Keys are put again in the next batch. */
    private abstract static class Writer implements DurableWriter {
        private final String name;

        Writer(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void clear(int caller, int index) {
            // the next batch replaces what is there
        }
    }

    /** A transaction that reads a row and replaces it. */
    private static final class JournalWriter extends Writer {
        private final Journal journal;
        private final boolean reads;
        private final Closing closing;

        JournalWriter(String name, Journal journal, boolean reads, Closing closing) {
            super(name);
            this.journal = journal;
            this.reads = reads;
            this.closing = closing;
            journal.open(TABLE);
        }

        @Override
        public void put(int caller, int index) throws Exception {
            String key = EngineAddWriter.key(caller, index);
            journal.update(tx -> {
                        if (reads) {
                            tx.get(TABLE, key);
                        }
                        tx.put(TABLE, key, RECORD);
                    })
                    .toCompletableFuture()
                    .get();
        }

        @Override
        public void close() throws IOException {
            closing.close();
        }
    }

    /** What a writer closes at its end. */
    private interface Closing {
        void close() throws IOException;
    }

    /** In the resource database of a directory. */
    static DurableWriter embedded(Path directory) throws IOException {
        ResourceDb db = JournaledResourceDb.open(Files.createDirectories(directory.resolve("enipam")));
        ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.numbered("plugin"));
        Journal journal = new PluginTables(db).of("bench", threads);
        return new JournalWriter("journal: get+put", journal, true, () -> {
            db.close();
            threads.shutdown();
        });
    }

    /** In etcd: with and without a read. */
    static List<DurableWriter> inEtcd(EtcdServer etcd) {
        ExecutorScheduler scheduler = new ExecutorScheduler();
        ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.numbered("plugin"));
        EtcdJournals journals = EtcdJournals.connect(
                new EtcdSettings(List.of(etcd.endpoint())), scheduler, new SystemTime(), new SplittableRandom());
        return List.of(
                new JournalWriter("etcd journal: put", journals.of("bench", threads), false, () -> {}),
                new JournalWriter("etcd journal: get+put", journals.of("bench", threads), true, () -> {
                    journals.close();
                    scheduler.close();
                    threads.shutdown();
                }));
    }

    /** What etcd can do: one put over one connection, nothing compared. */
    static final class EtcdPut extends Writer {
        private final ManagedChannel channel;
        private final ByteString record = ByteString.copyFromUtf8(RECORD);

        EtcdPut(EtcdServer etcd) {
            super("bare etcd put");
            channel = Grpc.newChannelBuilderForAddress(
                            etcd.endpoint().getHost(), etcd.port(), InsecureChannelCredentials.create())
                    .build();
        }

        @Override
        public void put(int caller, int index) {
            KVGrpc.newBlockingStub(channel)
                    .put(PutRequest.newBuilder()
                            .setKey(ByteString.copyFromUtf8("/bare/" + EngineAddWriter.key(caller, index)))
                            .setValue(record)
                            .build());
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
