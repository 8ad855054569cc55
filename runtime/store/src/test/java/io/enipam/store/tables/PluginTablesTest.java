package io.enipam.store.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Transactions of several plugins in virtual time, on a database that fails and crashes. */
class PluginTablesTest {
    private static final int SEEDS = Integer.getInteger("enipam.tables.seeds", 5_000);
    private static final Table<String> TABLE = new Table<>("t", 1, Codec.text());

    private final VirtualTime time = new VirtualTime();
    private final MemoryDb db = new MemoryDb(time, () -> Duration.ofMillis(1));
    private final PluginTables tables = new PluginTables(db);

    private Journal journal(String plugin) {
        return opened(tables, plugin, time);
    }

    private static Journal opened(PluginTables tables, String plugin, VirtualTime time) {
        Journal journal = tables.of(plugin, time::execute);
        journal.open(TABLE);
        return journal;
    }

    private static Map<String, String> content(Journal journal) {
        return journal.read(tx ->
                tx.scan(TABLE, "").collect(Collectors.toMap(Row::key, Row::value, (one, other) -> one, TreeMap::new)));
    }

    @Test
    void aPluginWithAsManyRowsAsAreAllowedChangesThemAndAddsNone() {
        Journal full = opened(new PluginTables(db, 3), "full", time);
        full.update(tx -> List.of("a", "b", "c").forEach(key -> tx.put(TABLE, key, "1")));
        time.advance(Duration.ofSeconds(1));

        full.update(tx -> tx.put(TABLE, "a", tx.get(TABLE, "a").orElseThrow().value() + "2"));
        time.advance(Duration.ofSeconds(1));

        assertThat(failure(full, TABLE, List.of("more"))).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
        full.update(tx -> tx.delete(TABLE, "c"));
        time.advance(Duration.ofSeconds(1));
        full.update(tx -> tx.put(TABLE, "d", "1"));
        time.advance(Duration.ofSeconds(1));
        assertThat(content(full)).isEqualTo(Map.of("a", "12", "b", "1", "d", "1"));
    }

    @Test
    void aValueThatWasPutIsKeptWhereItsCodecSaysSoButIsThatOfTheRow() {
        List<String> readTexts = new ArrayList<>();
        Table<String> kept = new Table<>("kept", 1, new Codec<>() {
            @Override
            public String write(String value) {
                return value;
            }

            @Override
            public String read(int version, String text) {
                readTexts.add(text);
                return text;
            }

            @Override
            public boolean keepsValues() {
                return true;
            }
        });
        Journal one = journal("one");
        one.open(kept);
        String value = new String("value");
        one.update(tx -> {
            tx.put(kept, "k", value);
            assertThat(tx.get(kept, "k").orElseThrow().value()).isSameAs(value);
        });
        time.advance(Duration.ofSeconds(1));
        assertThat(one.<Row<String>>read(tx -> tx.get(kept, "k").orElseThrow()).value())
                .isSameAs(value);
        assertThat(readTexts).isEmpty();

        db.broken(true);
        CompletionStage<Void> failed = one.update(tx -> tx.put(kept, "k", "of a commit that fails"));
        time.advance(Duration.ofSeconds(1));
        assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
        assertThat(one.<Row<String>>read(tx -> tx.get(kept, "k").orElseThrow()).value())
                .isEqualTo("value");
    }

    @Test
    void aValueThatIsKeptIsWrittenOnceAndOneThatNoRowCanHaveFailsTheCommitWhole() {
        List<String> written = new ArrayList<>();
        Table<String> kept = new Table<>("kept", 1, new Codec<>() {
            @Override
            public String write(String value) {
                written.add(value);
                if (value.equals("none")) {
                    throw new IllegalArgumentException("no text for it");
                }
                return value;
            }

            @Override
            public String read(int version, String text) {
                return text;
            }

            @Override
            public boolean keepsValues() {
                return true;
            }
        });
        Journal one = journal("one");
        one.open(kept);
        one.update(tx -> {
            tx.put(kept, "k", "first");
            tx.put(kept, "k", "second");
            tx.put(kept, "gone", "nothing");
            tx.delete(kept, "gone");
            assertThat(tx.scan(kept, "").map(Row::value)).containsExactly("second");
        });
        time.advance(Duration.ofSeconds(1));
        assertThat(written).containsExactly("second");

        assertThat(failure(one, kept, List.of("none"))).isEqualTo(ErrorKind.INTERNAL);
        assertThat(failure(one, kept, List.of("x".repeat((256 << 10) + 1)))).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(failure(one, kept, List.of("half of a pair: \ud800"))).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(failure(one, kept, Collections.nCopies(5, "x".repeat(256 << 10))))
                .isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(one.<List<String>>read(
                        tx -> tx.scan(kept, "").map(Row::value).toList()))
                .containsExactly("second");
        assertThat(content(one)).isEmpty();
    }

    /** What a commit fails with that puts these values, and a row that there can be. */
    private ErrorKind failure(Journal journal, Table<String> table, List<String> values) {
        CompletionStage<Void> failed = journal.update(tx -> {
            tx.put(TABLE, "beside", "it");
            for (int i = 0; i < values.size(); i++) {
                tx.put(table, "v" + i, values.get(i));
            }
        });
        time.advance(Duration.ofSeconds(1));
        return failed.handle((done, failure) -> ((JournalException) Stages.cause(failure)).kind())
                .toCompletableFuture()
                .join();
    }

    @Test
    void twoPluginsSeeTheirOwnRowsAlone() {
        Journal one = journal("one");
        Journal other = journal("other");
        one.update(tx -> tx.put(TABLE, "k", "1"));
        other.update(tx -> tx.put(TABLE, "k", "2"));
        time.advance(Duration.ofSeconds(1));

        assertThat(content(one)).isEqualTo(Map.of("k", "1"));
        assertThat(content(other)).isEqualTo(Map.of("k", "2"));
    }

    @Test
    void aCommitThatTheDiskRefusesFailsAndTheOneThatWaitedForItGoesThrough() {
        Journal journal = journal("one");
        db.broken(true);
        CompletionStage<Void> first = journal.update(tx -> tx.put(TABLE, "k", "1"));
        CompletionStage<Void> second = journal.update(
                tx -> tx.put(TABLE, "k", tx.get(TABLE, "k").map(Row::value).orElse("") + "2"));
        time.execute(() -> {}); // the first one is on its way
        time.advance(Duration.ofMillis(1));
        db.broken(false);
        time.advance(Duration.ofSeconds(1));

        assertThat(first.toCompletableFuture())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
                .withMessage("the tables of plugin one cannot be written: No space left on device");
        assertThat(second.toCompletableFuture()).isCompleted();
        assertThat(content(journal)).isEqualTo(Map.of("k", "2"));
    }

    @Test
    void commitsThatHaveNothingInCommonDoNotWaitForEachOther() {
        Journal journal = journal("one");
        List<CompletionStage<Void>> stages = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String key = "k" + i;
            stages.add(journal.update(tx -> tx.put(TABLE, key, "1")));
        }
        time.settle();
        assertThat(stages).noneMatch(stage -> stage.toCompletableFuture().isDone());
        // the database makes one after the other durable, 1 ms each
        time.advance(Duration.ofMillis(10));
        assertThat(stages).allMatch(stage -> stage.toCompletableFuture().isDone());
    }

    @Test
    void aRowThatAnotherVersionOfThePluginWroteStaysUntilItIsOpened() {
        journal("one").update(tx -> tx.put(TABLE, "k", "1"));
        time.advance(Duration.ofSeconds(1));
        PluginTables later = new PluginTables(db);
        later.of("one", time::execute); // opens nothing
        assertThat(content(opened(later, "one", time))).isEqualTo(Map.of("k", "1"));
    }

    /** Transfers among five accounts of two plugins: each sum stays what it was, whatever fails and however runs interleave. */
    @Test
    void anyInterleavingKeepsWhatEachTransactionKeeps() {
        for (int seed = 0; seed < SEEDS; seed++) {
            new History(seed).run();
        }
    }

    private static final class History {
        private static final int ACCOUNTS = 5;
        private static final int TOTAL = 100;

        private final String story;
        private final Random random;
        private final VirtualTime time;
        private final MemoryDb db;
        private final Map<String, Integer> acknowledged = new HashMap<>();
        private PluginTables tables;

        History(int seed) {
            this.story = "seed " + seed;
            this.random = new Random(seed);
            this.time = new VirtualTime(new SplittableRandom(seed));
            this.db = new MemoryDb(time, () -> Duration.ofMillis(random.nextInt(3)));
            this.tables = new PluginTables(db);
        }

        void run() {
            for (String plugin : List.of("one", "other")) {
                opened(tables, plugin, time).update(tx -> {
                    for (int i = 0; i < ACCOUNTS; i++) {
                        tx.put(TABLE, "a" + i, Integer.toString(TOTAL / ACCOUNTS));
                    }
                    tx.put(TABLE, "transfers", "0");
                });
            }
            time.advance(Duration.ofSeconds(1));
            for (int life = 0; life < 2; life++) {
                live();
                if (random.nextBoolean()) {
                    time.crash();
                    db.crash();
                } else {
                    db.broken(false);
                    time.advance(Duration.ofMinutes(1));
                }
                tables = new PluginTables(db);
                check("one");
                check("other");
            }
        }

        private void live() {
            Map<String, Journal> journals =
                    Map.of("one", opened(tables, "one", time), "other", opened(tables, "other", time));
            for (int i = 0; i < 12; i++) {
                String plugin = random.nextBoolean() ? "one" : "other";
                String from = "a" + random.nextInt(ACCOUNTS);
                String to = "a" + random.nextInt(ACCOUNTS);
                boolean counted = random.nextInt(3) == 0;
                time.after(
                        Duration.ofMillis(random.nextInt(6)),
                        () -> journals.get(plugin)
                                .commit(tx -> {
                                    int moved = Math.min(7, amount(tx.get(TABLE, from)));
                                    tx.put(TABLE, from, Integer.toString(amount(tx.get(TABLE, from)) - moved));
                                    tx.put(TABLE, to, Integer.toString(amount(tx.get(TABLE, to)) + moved));
                                    if (counted) {
                                        tx.put(
                                                TABLE,
                                                "transfers",
                                                Integer.toString(amount(tx.get(TABLE, "transfers")) + 1));
                                    }
                                    return counted ? 1 : 0;
                                })
                                .whenComplete((count, failure) -> {
                                    if (failure == null) {
                                        acknowledged.merge(plugin, count, Integer::sum);
                                    }
                                }));
            }
            time.after(Duration.ofMillis(random.nextInt(10)), () -> db.broken(random.nextBoolean()));
            time.advance(Duration.ofMillis(random.nextInt(20)));
        }

        private void check(String plugin) {
            Map<String, String> rows = content(opened(tables, plugin, time));
            int transfers = Integer.parseInt(rows.remove("transfers"));
            assertThat(rows.values().stream().mapToInt(Integer::parseInt).sum())
                    .as(story)
                    .isEqualTo(TOTAL);
            assertThat(transfers).as(story).isGreaterThanOrEqualTo(acknowledged.getOrDefault(plugin, 0));
            acknowledged.put(plugin, transfers);
        }

        private static int amount(java.util.Optional<Row<String>> row) {
            return Integer.parseInt(row.orElseThrow().value());
        }
    }
}
