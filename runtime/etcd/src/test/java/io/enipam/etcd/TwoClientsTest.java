package io.enipam.etcd;

import static io.enipam.etcd.Clients.TABLE;
import static io.enipam.etcd.Clients.content;
import static io.enipam.etcd.Clients.done;
import static io.enipam.etcd.Clients.failure;
import static io.enipam.etcd.Clients.opened;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.testing.TestThreads;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two managers on one etcd, and what of each other's commits is a conflict. Each test has a prefix of its own. */
class TwoClientsTest {
    @TempDir
    static Path temp;

    private static final Table<String> OTHER = new Table<>("others", 1, Codec.text());

    @AutoClose
    private static EtcdServer server;

    private static int prefixes;

    @AutoClose
    private final Clients clients = new Clients();

    private final EtcdSettings settings = settings();
    private final Journal one = opened(clients.connect(settings));
    private final Journal other = opened(clients.connect(settings));

    TwoClientsTest() {
        one.open(OTHER);
        other.open(OTHER);
    }

    private static EtcdSettings settings() {
        EtcdSettings defaults = Clients.settings(server.endpoint());
        return new EtcdSettings(
                defaults.endpoints(), defaults.tls(), defaults.user(), "/test-" + ++prefixes, defaults.patience());
    }

    @BeforeAll
    static void begin() {
        Clients.assumeEtcd();
        server = EtcdServer.started(temp);
    }

    /** How often a transaction runs if another client's commit comes between its first read and its commit. */
    private int runs(Consumer<Transaction> between, Consumer<Transaction> transaction) {
        AtomicInteger runs = new AtomicInteger();
        done(one.update(tx -> {
            transaction.accept(tx);
            if (runs.incrementAndGet() == 1) {
                done(other.update(between));
            }
            tx.put(TABLE, "result", "1");
        }));
        return runs.get();
    }

    @Test
    void whatWasReadAndChangedMeanwhileIsAConflict() {
        done(one.update(tx -> {
            tx.put(TABLE, "a/1", "1");
            tx.put(TABLE, "b/1", "1");
        }));
        Consumer<Transaction> gets = tx -> tx.get(TABLE, "a/1");
        assertThat(runs(tx -> tx.put(TABLE, "a/1", "2"), gets)).isEqualTo(2);
        assertThat(runs(tx -> tx.delete(TABLE, "a/1"), gets)).isEqualTo(2);
        assertThat(runs(tx -> tx.put(TABLE, "a/1", "3"), gets))
                .as("absent before")
                .isEqualTo(2);
        assertThat(runs(tx -> tx.put(TABLE, "a/2", "1"), gets)).isEqualTo(1);

        Consumer<Transaction> scans = tx -> tx.scan(TABLE, "a/").forEach(row -> {});
        assertThat(runs(tx -> tx.put(TABLE, "a/3", "1"), scans)).as("added").isEqualTo(2);
        assertThat(runs(tx -> tx.put(TABLE, "a/3", "2"), scans)).as("replaced").isEqualTo(2);
        assertThat(runs(tx -> tx.delete(TABLE, "a/3"), scans)).as("deleted").isEqualTo(2);
        assertThat(runs(tx -> tx.put(TABLE, "b/2", "1"), scans)).as("beside").isEqualTo(1);
        assertThat(runs(tx -> tx.put(TABLE, "a", "1"), scans)).as("before").isEqualTo(1);
        assertThat(runs(tx -> tx.delete(OTHER, "a/1"), scans))
                .as("another table")
                .isEqualTo(1);
        assertThat(runs(tx -> tx.put(TABLE, "x", "1"), tx -> tx.scan(TABLE, "x").forEach(row -> {})))
                .as("into an empty range")
                .isEqualTo(2);
    }

    @Test
    void whatIsWrittenWithoutBeingReadIsNoConflict() {
        assertThat(runs(tx -> tx.put(TABLE, "k", "1"), tx -> tx.put(TABLE, "k", "2")))
                .isEqualTo(1);
        assertThat(content(other)).containsEntry("k", "2");
    }

    /** More than etcd compares in one transaction: whole tables then, which misses nothing. */
    @Test
    void aTransactionThatReadsManyRowsByThemselvesConflictsWithAChangeOfAnyOfThem() {
        done(one.update(tx -> IntStream.range(0, 300).forEach(i -> tx.put(TABLE, "k" + i, "1"))));
        Consumer<Transaction> many = tx -> IntStream.range(0, 300).forEach(i -> tx.get(TABLE, "k" + i));
        assertThat(runs(tx -> tx.put(TABLE, "k299", "2"), many)).isEqualTo(2);
        assertThat(runs(tx -> tx.delete(TABLE, "k150"), many)).isEqualTo(2);
        assertThat(runs(tx -> tx.put(OTHER, "k1", "2"), many)).isEqualTo(1);
    }

    @Test
    void aTransactionThatReadsManyTablesConflictsWithAChangeOfAnyOfThem() {
        List<Table<String>> tables = IntStream.range(0, 70)
                .mapToObj(i -> new Table<>("t" + i, 1, Codec.text()))
                .toList();
        tables.forEach(one::open);
        tables.forEach(other::open);
        done(one.update(tx -> tables.forEach(table -> tx.put(table, "k", "1"))));
        Consumer<Transaction> all = tx -> tables.forEach(table -> tx.get(table, "k"));
        assertThat(runs(tx -> tx.put(tables.get(69), "k", "2"), all)).isEqualTo(2);
        assertThat(runs(tx -> tx.delete(tables.get(35), "k"), all)).isEqualTo(2);
        assertThat(runs(tx -> {}, all)).isEqualTo(1);
    }

    /** 1,000 rows and 1 Mi characters, each of which takes three bytes, on etcd's default of 128 operations. */
    @Test
    void aCommitMayBeAsLargeAsTheBoundsAllow() {
        int length = (1 << 20) / 1_000 - "swarm/texts/k999".length();
        String text = "\u6c49".repeat(length);
        done(one.update(tx -> IntStream.range(0, 1_000).forEach(i -> tx.put(TABLE, "k" + i, text))));
        assertThat(content(other))
                .hasSize(1_000)
                .allSatisfy((key, value) -> assertThat(value).isEqualTo(text));
        done(other.update(tx -> IntStream.range(0, 1_000).forEach(i -> tx.delete(TABLE, "k" + i))));
        assertThat(content(one)).isEmpty();
    }

    @Test
    void aScanOfManyLargeRowsComesInPages() {
        String large = "\u6c49".repeat(256 << 10);
        IntStream.range(0, 200).forEach(i -> done(one.update(tx -> tx.put(TABLE, "small" + i, "1"))));
        IntStream.range(0, 100).forEach(i -> done(one.update(tx -> tx.put(TABLE, "t-large" + i, large))));
        assertThat(one.<Long>read(tx -> tx.scan(TABLE, "").count())).isEqualTo(300);
    }

    @Test
    void keysAreInTheOrderOfTheirCharacters() {
        List<String> keys = List.of("a", "a/b", "a0", "\u00e4", "\u6c49", "\ud83d\ude00", "\ue000", "\uffff");
        done(one.update(tx -> keys.forEach(key -> tx.put(TABLE, key, key))));
        assertThat(other.<List<String>>read(
                        tx -> tx.scan(TABLE, "").map(Row::key).toList()))
                .isEqualTo(keys)
                .isSorted();
    }

    @Test
    void twoPluginsSeeTheirOwnRowsAlone() {
        Journal ipam = opened(clients.connect(settings), "swarm-ipam");
        done(one.update(tx -> tx.put(TABLE, "k", "1")));
        done(ipam.update(tx -> tx.put(TABLE, "k", "2")));
        assertThat(content(other)).isEqualTo(Map.of("k", "1"));
        assertThat(content(ipam)).isEqualTo(Map.of("k", "2"));
    }

    @Test
    void morePluginsRowsThanTheBoundAreRefused() {
        EtcdJournals journals = clients.connect(settings);
        Journal bounded = new EtcdJournal(journals, "swarm", TestThreads.PER_TASK, 40);
        bounded.open(TABLE);
        for (int i = 0; i < 40; i++) {
            String key = "k" + i;
            done((i % 2 == 0 ? bounded : other).update(tx -> tx.put(TABLE, key, "1")));
        }
        assertThat(failure(bounded.update(tx -> tx.put(TABLE, "more", "1"))))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED))
                .hasMessage("the tables of plugin swarm have 40 rows, and 40 are allowed: delete what is not needed"
                        + " any more");
        done(bounded.update(
                tx -> tx.put(TABLE, "k1", tx.get(TABLE, "k1").orElseThrow().value() + "1")));
        done(bounded.update(tx -> tx.delete(TABLE, "k0")));
        done(bounded.update(tx -> tx.put(TABLE, "more", "1")));
    }

    /** Transfers among accounts by two clients at once: the sum stays what it was, and each acknowledged transfer counts. */
    @Test
    void transfersOfTwoWritersKeepTheSum() {
        int accounts = 6;
        int transfers = 150;
        done(one.update(tx -> {
            IntStream.range(0, accounts).forEach(i -> tx.put(TABLE, "a" + i, "100"));
            tx.put(OTHER, "transfers", "0");
        }));
        Random random = new Random(1);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < transfers; i++) {
            Journal writer = i % 2 == 0 ? one : other;
            String from = "a" + random.nextInt(accounts);
            String to = "a" + random.nextInt(accounts);
            boolean counted = i % 10 == 0;
            CompletionStage<Void> transfer = writer.update(tx -> {
                add(tx, TABLE, from, -7);
                add(tx, TABLE, to, 7);
                if (counted) {
                    add(tx, OTHER, "transfers", 1);
                }
            });
            running.add(transfer.toCompletableFuture());
            if (running.size() == 8) {
                running.forEach(Clients::done);
                running.clear();
            }
        }
        running.forEach(Clients::done);
        assertThat(content(one).values().stream().mapToInt(Integer::parseInt).sum())
                .isEqualTo(accounts * 100);
        assertThat(one.<String>read(
                        tx -> tx.get(OTHER, "transfers").orElseThrow().value()))
                .isEqualTo(Integer.toString(transfers / 10));
    }

    private static void add(Transaction tx, Table<String> table, String key, int amount) {
        int before = Integer.parseInt(tx.get(table, key).orElseThrow().value());
        tx.put(table, key, Integer.toString(before + amount));
    }
}
