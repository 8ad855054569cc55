package io.enipam.etcd;

import static io.enipam.etcd.Clients.TABLE;
import static io.enipam.etcd.Clients.content;
import static io.enipam.etcd.Clients.done;
import static io.enipam.etcd.Clients.failure;
import static io.enipam.etcd.Clients.opened;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.concurrent.Stages;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.etcd.testing.TcpProxy;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Transaction;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DefragmentRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.RangeRequest;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to transactions while the network, the disk's quota or the history fails them. */
class EtcdFaultsTest {
    private static final Duration SHORT = Duration.ofSeconds(8);

    @TempDir
    Path temp;

    @AutoClose
    private final Clients clients = new Clients();

    @BeforeAll
    static void assumeEtcd() {
        Clients.assumeEtcd();
    }

    private static EtcdSettings patient(Duration patience, TcpProxy proxy) {
        return new EtcdSettings(
                List.of(proxy.endpoint()), Optional.empty(), Optional.empty(), EtcdSettings.DEFAULT_PREFIX, patience);
    }

    private static void append(Transaction tx, String what) {
        tx.put(TABLE, "k", tx.get(TABLE, "k").map(Row::value).orElse("") + what);
    }

    // ---- the network

    @Test
    void whileTheNetworkIsPartitionedCommitsEndWithADeadlineAndAfterwardsTheyWork() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal journal = opened(clients.connect(patient(SHORT, proxy)));
            done(journal.update(tx -> tx.put(TABLE, "k", "1")));

            proxy.stop();
            assertThat(failure(journal.update(tx -> tx.put(TABLE, "k", "2"))))
                    .isInstanceOfSatisfying(
                            JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED))
                    .hasMessageStartingWith("etcd at " + proxy.endpoint() + " failed: ")
                    .hasMessageEndingWith("; whether the commit was written is not known");
            assertThatThrownBy(() -> content(journal))
                    .isInstanceOfSatisfying(
                            JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));

            proxy.goOn();
            done(journal.update(tx -> tx.put(TABLE, "other", "3")));
            assertThat(content(journal).get("k")).isIn("1", "2");
        }
    }

    @Test
    void commitsThatWaitForOthersInAPartitionEndAsWellAndThoseBehindThemWork() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal journal = opened(clients.connect(patient(SHORT, proxy)));
            proxy.stop();
            List<CompletionStage<Void>> commits = IntStream.range(0, 100)
                    .mapToObj(i -> journal.update(tx -> tx.put(TABLE, "k" + i, "1")))
                    .toList();
            Set<ErrorKind> kinds = EnumSet.noneOf(ErrorKind.class);
            commits.forEach(commit -> kinds.add(((JournalException) failure(commit)).kind()));
            assertThat(kinds).isSubsetOf(ErrorKind.UNAVAILABLE, ErrorKind.DEADLINE_EXCEEDED);
            proxy.goOn();
            done(journal.update(tx -> tx.put(TABLE, "later", "1")));
        }
    }

    @Test
    void aCommitThatAPartitionHoldsUpIsWrittenOnceTheNetworkIsThereAgain() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal journal = opened(clients.connect(proxy.endpoint()));
            done(journal.update(tx -> append(tx, "1")));
            proxy.stop();
            CompletionStage<Void> second = journal.update(tx -> tx.put(TABLE, "other", "2"));
            assertThat(second.toCompletableFuture()).isNotDone();
            proxy.goOn();
            done(second);
            assertThat(content(journal)).isEqualTo(Map.of("k", "1", "other", "2"));
        }
    }

    /** Without the lanes a commit whose answer was lost would be done again. */
    @Test
    void aCommitIsCarriedOutOnceWhenItsAnswerIsLost() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        int commits = 20;
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal journal = opened(clients.connect(proxy.endpoint()));
            for (int i = 0; i < commits; i++) {
                AtomicInteger runs = new AtomicInteger();
                done(journal.update(tx -> {
                    append(tx, "x");
                    runs.incrementAndGet();
                    proxy.loseNextAnswer();
                }));
                assertThat(runs).hasValue(1);
            }
            assertThat(proxy.lost()).isGreaterThanOrEqualTo(commits);
            assertThat(content(opened(clients.connect(etcd.endpoint())))).isEqualTo(Map.of("k", "x".repeat(commits)));
        }
    }

    @Test
    void aCommitWhoseRequestIsLostAndThatConflictsMeanwhileRunsAgain() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal journal = opened(clients.connect(proxy.endpoint()));
            Journal other = opened(clients.connect(etcd.endpoint()));
            done(journal.update(tx -> append(tx, "0")));
            AtomicInteger runs = new AtomicInteger();
            done(journal.update(tx -> {
                append(tx, "x");
                if (runs.incrementAndGet() == 1) {
                    done(other.update(theirs -> append(theirs, "y")));
                    proxy.loseNextRequest();
                }
            }));
            assertThat(runs).hasValue(2);
            assertThat(proxy.lost()).isEqualTo(1);
            assertThat(content(other)).isEqualTo(Map.of("k", "0yx"));
        }
    }

    @Test
    void aMemberThatIsAwayIsPassedOver() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        URI away = URI.create("http://127.0.0.1:" + EtcdServer.freePort());
        Journal journal = opened(clients.connect(away, etcd.endpoint()));
        done(journal.update(tx -> tx.put(TABLE, "k", "1")));
        assertThat(content(journal)).isEqualTo(Map.of("k", "1"));
    }

    /** Which member was asked last is chance: one that is away said to check that it runs, and not that a quorum does. */
    @Test
    void whereNoneOfSeveralMembersAnswersTheErrorAsksForAQuorum() {
        List<URI> away = List.of(
                URI.create("http://127.0.0.1:" + EtcdServer.freePort()),
                URI.create("http://127.0.0.1:" + EtcdServer.freePort()));
        EtcdSettings settings = new EtcdSettings(
                away, Optional.empty(), Optional.empty(), EtcdSettings.DEFAULT_PREFIX, Duration.ofSeconds(9));
        assertThatThrownBy(() -> clients.connect(settings))
                .hasMessageContaining("Connection refused")
                .hasMessageEndingWith(
                        "; check that more than half of its members run and that the network lets this host through");
    }

    @Test
    void whereNoMemberAnswersTheErrorNamesThem() {
        URI away = URI.create("http://127.0.0.1:" + EtcdServer.freePort());
        EtcdSettings settings = new EtcdSettings(
                List.of(away), Optional.empty(), Optional.empty(), EtcdSettings.DEFAULT_PREFIX, Duration.ofSeconds(9));
        assertThatThrownBy(() -> clients.connect(settings))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
                .hasMessageStartingWith("etcd at " + away + " failed: ")
                .hasMessageContaining("Connection refused")
                .hasMessageEndingWith("; check that it runs and that the network lets this host through");
    }

    @Test
    void aClientWhoseLanesVanishedGoesOnWithNewOnes() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        EtcdJournals journals = clients.connect(etcd.endpoint());
        Journal journal = opened(journals);
        done(journal.update(tx -> append(tx, "1")));
        long lease = journals.client()
                .call(KVGrpc.getRangeMethod(), lanes(journals))
                .join()
                .response()
                .getKvs(0)
                .getLease();
        assertThat(lease).isNotZero();
        journals.client()
                .call(
                        LeaseGrpc.getLeaseRevokeMethod(),
                        LeaseRevokeRequest.newBuilder().setID(lease).build())
                .join();
        done(journal.update(tx -> append(tx, "2")));
        assertThat(content(journal)).isEqualTo(Map.of("k", "12"));
    }

    @Test
    void aClientThatClosesLeavesNoLanes() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        done(opened(clients.connect(etcd.endpoint())).update(tx -> append(tx, "1")));
        clients.disconnect();
        EtcdJournals later = clients.connect(etcd.endpoint());
        assertThat(later.client()
                        .call(KVGrpc.getRangeMethod(), lanes(later))
                        .join()
                        .response()
                        .getKvsList())
                .isEmpty();
    }

    private static RangeRequest lanes(EtcdJournals journals) {
        return RangeRequest.newBuilder()
                .setKey(journals.keys().lane(""))
                .setRangeEnd(EtcdKeys.end(journals.keys().lane("")))
                .build();
    }

    // ---- the quota

    @Test
    void aFullDatabaseRefusesCommitsAndIsReadAndTakesThemAgainOnceThereIsRoom() {
        EtcdServer etcd =
                clients.started(temp, "http", EtcdServer.LARGE_REQUESTS, "--quota-backend-bytes=" + (16 << 20));
        EtcdJournals journals = clients.connect(etcd.endpoint());
        Journal journal = opened(journals);
        Optional<Throwable> refusal = Optional.empty();
        int written = 0;
        while (refusal.isEmpty()) {
            refusal = outcome(journal.update(tx -> tx.put(TABLE, "k", "v".repeat(200 << 10))));
            written++;
        }
        assertThat(written).isGreaterThan(10);
        assertThat(refusal.get())
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
                .hasMessage("etcd at " + etcd.endpoint() + " failed: mvcc: database space exceeded; its database has"
                        + " reached its quota: compact and defragment it or raise --quota-backend-bytes, then run"
                        + " etcdctl alarm disarm");
        assertThat(content(journal)).containsOnlyKeys("k");

        compact(journals);
        EtcdClient client = journals.client();
        client.call(MaintenanceGrpc.getDefragmentMethod(), DefragmentRequest.getDefaultInstance())
                .join();
        client.call(MaintenanceGrpc.getAlarmMethod(), AlarmRequest.getDefaultInstance())
                .join()
                .response()
                .getAlarmsList()
                .forEach(alarm -> client.call(
                                MaintenanceGrpc.getAlarmMethod(),
                                AlarmRequest.newBuilder()
                                        .setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                                        .setMemberID(alarm.getMemberID())
                                        .setAlarm(alarm.getAlarm())
                                        .build())
                        .join());
        done(journal.update(tx -> tx.put(TABLE, "k", "1")));
        assertThat(content(journal)).isEqualTo(Map.of("k", "1"));
    }

    private static Optional<Throwable> outcome(CompletionStage<?> stage) {
        return done(stage.handle((value, error) -> Optional.ofNullable(error).map(Stages::cause)));
    }

    // ---- the history

    @Test
    void aTransactionWhoseRevisionIsCompactedRunsAgain() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        EtcdJournals journals = clients.connect(etcd.endpoint());
        Journal journal = opened(journals);
        Journal other = opened(clients.connect(etcd.endpoint()));
        done(journal.update(tx -> IntStream.range(0, 200).forEach(i -> tx.put(TABLE, "k" + i, "1"))));
        AtomicInteger runs = new AtomicInteger();
        Consumer<Integer> compactedOnce = run -> {
            if (run == 1) {
                done(other.update(tx -> tx.put(TABLE, "k100", "2")));
                compact(journals);
            }
        };
        long sum = done(journal.commit(tx -> {
            tx.get(TABLE, "k0");
            compactedOnce.accept(runs.incrementAndGet());
            long seen = tx.scan(TABLE, "k")
                    .mapToLong(row -> Long.parseLong(row.value()))
                    .sum();
            tx.put(TABLE, "sum", Long.toString(seen));
            return seen;
        }));
        assertThat(sum).isEqualTo(201);
        assertThat(runs).hasValue(2);

        runs.set(0);
        long read = journal.read(tx -> {
            tx.get(TABLE, "k0");
            compactedOnce.accept(runs.incrementAndGet());
            return tx.scan(TABLE, "k").count();
        });
        assertThat(read).isEqualTo(200);
        assertThat(runs).hasValue(2);
    }

    // ---- watches

    /** What a watch has told; a line for each row that it told first, and for its end. */
    private static final class Told implements Source.Sink {
        private final Queue<String> keys = new ConcurrentLinkedQueue<>();
        private final Queue<String> ends = new ConcurrentLinkedQueue<>();

        @Override
        public void changed(String key) {
            keys.add(key);
        }

        @Override
        public void synced() {}

        @Override
        public void lost(String why) {
            ends.add(why);
        }

        void await(String key) {
            Awaitility.await()
                    .atMost(2, TimeUnit.MINUTES)
                    .untilAsserted(() -> assertThat(keys).contains(key));
        }
    }

    @Test
    void aWatchWhoseConnectionsBreakAndWhoseServerIsKilledTellsWhatHappenedMeanwhile() throws Exception {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal watched = opened(clients.connect(proxy.endpoint()));
            Journal other = opened(clients.connect(etcd.endpoint()));
            Told told = new Told();
            try (AutoCloseable watch = watched.watch(TABLE, told)) {
                for (int i = 0; i < 10; i++) {
                    String key = "broken" + i;
                    proxy.loseNextAnswer();
                    done(other.update(tx -> tx.put(TABLE, key, "1")));
                    told.await(key);
                }
                assertThat(proxy.lost()).isGreaterThanOrEqualTo(10);
                for (int i = 0; i < 2; i++) {
                    String key = "killed" + i;
                    etcd.kill();
                    etcd.start();
                    done(other.update(tx -> tx.put(TABLE, key, "1")));
                    told.await(key);
                }
                assertThat(told.ends).isEmpty();
            }
        }
    }

    @Test
    void aWatchThatIsBehindACompactionIsLostAndANewOneTellsAllRows() throws Exception {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal watched = opened(clients.connect(proxy.endpoint()));
            EtcdJournals direct = clients.connect(etcd.endpoint());
            Journal other = opened(direct);
            Told told = new Told();
            try (AutoCloseable watch = watched.watch(TABLE, told)) {
                done(other.update(tx -> tx.put(TABLE, "first", "1")));
                told.await("first");
                proxy.stop();
                done(other.update(tx -> tx.put(TABLE, "second", "1")));
                done(other.update(tx -> tx.put(TABLE, "third", "1")));
                compact(direct);
                proxy.loseNextAnswer();
                proxy.goOn();
                Awaitility.await()
                        .atMost(2, TimeUnit.MINUTES)
                        .untilAsserted(() -> assertThat(told.ends).hasSize(1));
                assertThat(told.ends.peek()).startsWith("etcd has compacted its history up to revision ");
                assertThat(told.keys).doesNotContain("third");
            }
            Told again = new Told();
            try (AutoCloseable watch = watched.watch(TABLE, again)) {
                assertThat(again.keys).containsExactly("first", "second", "third");
            }
        }
    }

    private static void compact(EtcdJournals journals) {
        EtcdClient client = journals.client();
        long newest = client.call(
                        KVGrpc.getRangeMethod(),
                        RangeRequest.newBuilder()
                                .setKey(journals.keys().lane(""))
                                .build())
                .join()
                .response()
                .getHeader()
                .getRevision();
        client.call(
                        KVGrpc.getCompactMethod(),
                        CompactionRequest.newBuilder()
                                .setRevision(newest)
                                .setPhysical(true)
                                .build())
                .join();
    }

    // ---- etcd's own bounds

    @Test
    void anEtcdThatTakesTooSmallRequestsIsRefusedWithTheOptionToSet() {
        EtcdServer etcd = clients.started(temp, "http");
        assertThatThrownBy(() -> clients.connect(etcd.endpoint()))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                .hasMessageContaining("larger than max")
                .hasMessageEndingWith("; start each member with --max-request-bytes=4194304 or more"
                        + " (in Debian's /etc/default/etcd: ETCD_MAX_REQUEST_BYTES)");
    }
}
