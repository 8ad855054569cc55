package io.enipam.etcd;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.testing.RealTime;
import io.enipam.engine.testing.TestThreads;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The clients of a test, as several managers are, and the servers that it starts for them. */
final class Clients implements AutoCloseable {
    static final Table<String> TABLE = new Table<>("texts", 1, Codec.text());
    private static final AtomicLong SEED = new AtomicLong(System.nanoTime());

    private final RealTime time = new RealTime();
    private final List<EtcdJournals> connected = new ArrayList<>();
    private final List<EtcdServer> servers = new ArrayList<>();

    static void assumeEtcd() {
        assumeTrue(EtcdServer.program().isPresent(), "there is no etcd here (Debian: etcd-server)");
    }

    /** An etcd that is closed after its clients. */
    EtcdServer started(Path directory, String scheme, String... options) {
        EtcdServer server = new EtcdServer(directory, scheme, options);
        servers.add(server);
        server.start();
        return server;
    }

    EtcdJournals connect(URI... endpoints) {
        return connect(settings(endpoints));
    }

    /** With more patience than any busy machine needs. */
    static EtcdSettings settings(URI... endpoints) {
        return new EtcdSettings(
                List.of(endpoints),
                Optional.empty(),
                Optional.empty(),
                EtcdSettings.DEFAULT_PREFIX,
                Duration.ofMinutes(1));
    }

    EtcdJournals connect(EtcdSettings settings) {
        EtcdJournals journals =
                EtcdJournals.connect(settings, time, time, new SplittableRandom(SEED.incrementAndGet()));
        connected.add(journals);
        return journals;
    }

    static Journal opened(EtcdJournals journals) {
        return opened(journals, "swarm");
    }

    static Journal opened(EtcdJournals journals, String plugin) {
        Journal journal = journals.of(plugin, TestThreads.PER_TASK);
        journal.open(TABLE);
        return journal;
    }

    static <R> R done(CompletionStage<R> stage) {
        try {
            return stage.toCompletableFuture().get(2, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            throw new AssertionError("a commit failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("a commit did not end", e);
        }
    }

    static Throwable failure(CompletionStage<?> stage) {
        CompletableFuture<Throwable> failure = stage.toCompletableFuture()
                .handle((value, error) -> error == null ? new AssertionError("it went through") : error);
        return Stages.cause(done(failure));
    }

    static Map<String, String> content(Journal journal) {
        return journal.read(tx ->
                tx.scan(TABLE, "").collect(Collectors.toMap(Row::key, Row::value, (one, other) -> one, TreeMap::new)));
    }

    /** Closes what was connected; commits on their way fail. */
    void disconnect() {
        connected.forEach(EtcdJournals::close);
        connected.clear();
    }

    @Override
    public void close() {
        disconnect();
        time.close();
        servers.forEach(EtcdServer::close);
    }
}
