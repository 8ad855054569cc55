package io.enipam.sdk.testkit;

import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link Journal} as tests, for a store that implements it. Random choices come from a seed that a failure names
 * and {@code -Denipam.contract.seed=N} sets.
 */
public abstract class JournalContract {
    private static final Table<String> TEXTS = new Table<>("texts", 1, Codec.text());
    private static final Table<Integer> NUMBERS = new Table<>("numbers", 1, new Numbers());
    private static final int THREADS = 8;
    /** How often a race is run: on a busy machine the threads of one round may come one after the other. */
    private static final int ROUNDS = 20;

    private static final ContractRule DURABLE = new ContractRule(
            "a commit whose stage completed is there after a crash, whole; of one whose stage did not complete, all or nothing",
            "Complete a stage only after the disk has all of the commit, and apply a commit in one step.");
    private static final ContractRule SERIALIZABLE = new ContractRule(
            "transactions have the effect that they would have one after the other",
            "Compare all that a transaction read, scanned ranges included, with what was committed since, in the step that commits.");
    private static final ContractRule REFUSED = new ContractRule(
            "what is not allowed is refused with its kind, and has no effect: beyond the bounds, after the end, of a newer version",
            "Check names, lengths, counts and versions before anything is written.");

    private static final ContractRule TOLD = new ContractRule(
            "a watch tells the rows that there are, then the keys of all later commits in their order, and reads see what it tells",
            "List and begin to watch at one revision, and tell the keys of a commit after it was applied.");

    private final class Store {
        Journal journal = opened();

        void crash() {
            JournalContract.this.crash();
            journal = opened();
        }

        private Journal opened() {
            Journal journal = journal();
            journal.open(TEXTS);
            journal.open(NUMBERS);
            return journal;
        }
    }

    /** A whole number as its digits. */
    private static final class Numbers implements Codec<Integer> {
        @Override
        public String write(Integer value) {
            return value.toString();
        }

        @Override
        public Integer read(int version, String text) {
            return Integer.valueOf(text);
        }
    }

    /** The journal of one plugin: empty at first, and with what it had after a {@link #crash}. */
    protected abstract Journal journal();

    /** Ends the store under the journal as a crash of the process does; commits on their way may be lost. */
    protected abstract void crash();

    /** How many random histories are run. */
    protected int histories() {
        return 50;
    }

    /** How long a commit may take. */
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    // ---- one transaction

    @Test
    void aTransactionReadsWhatItHasWritten() {
        Store store = new Store();
        write(store, tx -> {
            tx.put(TEXTS, "a", "1");
            tx.put(TEXTS, "b", "2");
        });
        write(store, tx -> {
            tx.put(TEXTS, "ab", "3");
            tx.delete(TEXTS, "a");
            SERIALIZABLE.check(tx.get(TEXTS, "a").isEmpty(), () -> "a row that was deleted was read");
            SERIALIZABLE.check(
                    tx.get(TEXTS, "ab").equals(Optional.of(new Row<>("ab", "3", 0))), () -> "a row put was not read");
            SERIALIZABLE.check(keys(tx, "").equals(List.of("ab", "b")), () -> "a scan gave " + keys(tx, ""));
        });
        SERIALIZABLE.check(content(store).equals(Map.of("ab", "3", "b", "2")), () -> "there is " + content(store));
    }

    @Test
    void aScanGivesTheRowsOfAPrefixAscending() {
        Store store = new Store();
        List<String> keys =
                List.of("10.0.0.0/24", "10.0.1.0/24", "10.0.10.0/24", "a", "a/", "a/b", "a0", "b", "ä", "\uffff");
        write(store, tx -> keys.forEach(key -> tx.put(TEXTS, key, key)));
        for (String prefix : List.of("", "10.0.1", "a", "a/", "b", "c", "ä", "\uffff")) {
            List<String> expected =
                    keys.stream().filter(key -> key.startsWith(prefix)).sorted().toList();
            List<String> found = store.journal.read(tx -> keys(tx, prefix));
            SERIALIZABLE.check(found.equals(expected), () -> "'" + prefix + "' gave " + found + ", not " + expected);
        }
    }

    @Test
    void aFunctionThatThrowsHasNoEffectAndItsExceptionIsTheAnswer() {
        Store store = new Store();
        IllegalStateException own = new IllegalStateException("no room");
        Throwable failure = failure(store.journal.commit(tx -> {
            tx.put(TEXTS, "a", "1");
            throw own;
        }));
        SERIALIZABLE.check(
                failure == own && content(store).isEmpty(), () -> failure + ", and there is " + content(store));
    }

    @Test
    void aTransactionIsOverWhenItsFunctionReturns() {
        Store store = new Store();
        AtomicReference<Transaction> kept = new AtomicReference<>();
        write(store, kept::set);
        refused(IllegalStateException.class, () -> kept.get().put(TEXTS, "a", "1"));
        refused(
                IllegalStateException.class,
                () -> store.journal.read(tx -> {
                    tx.put(TEXTS, "a", "1");
                    return "";
                }));
    }

    @Test
    void aRevisionNeverComesAgain() {
        Store store = new Store();
        long last = 0;
        for (int i = 0; i < 6; i++) {
            write(store, tx -> tx.put(TEXTS, "a", "1"));
            long revision =
                    store.journal.read(tx -> tx.get(TEXTS, "a").orElseThrow().revision());
            long before = last;
            SERIALIZABLE.check(revision > before, () -> "revision " + revision + " came after " + before);
            last = revision;
            write(store, tx -> tx.delete(TEXTS, "a"));
            if (i % 2 == 1) {
                store.crash();
            }
        }
    }

    // ---- bounds

    @Test
    void whatIsBeyondTheBoundsIsRefused() {
        Store store = new Store();
        refused(store, ErrorKind.QUOTA_EXHAUSTED, tx -> tx.put(TEXTS, "", "1"));
        refused(store, ErrorKind.QUOTA_EXHAUSTED, tx -> tx.put(TEXTS, "a\nb", "1"));
        refused(store, ErrorKind.QUOTA_EXHAUSTED, tx -> tx.put(TEXTS, "a\ud83d", "1"));
        refused(store, ErrorKind.QUOTA_EXHAUSTED, tx -> tx.put(TEXTS, "a", "\ude00"));
        refused(store, ErrorKind.QUOTA_EXHAUSTED, tx -> tx.get(TEXTS, "k".repeat(513)));
        refused(store, ErrorKind.QUOTA_EXHAUSTED, tx -> tx.put(TEXTS, "a", "v".repeat((256 << 10) + 1)));
        refused(
                store,
                ErrorKind.QUOTA_EXHAUSTED,
                tx -> IntStream.range(0, 1_001).forEach(i -> tx.put(TEXTS, "k" + i, "1")));
        refused(
                store,
                ErrorKind.QUOTA_EXHAUSTED,
                tx -> IntStream.range(0, 6).forEach(i -> tx.put(TEXTS, "k" + i, "v".repeat(200 << 10))));
        refused(store, ErrorKind.MISCONFIGURED, tx -> tx.put(new Table<>("unknown", 1, Codec.text()), "a", "1"));
        write(store, tx -> tx.put(TEXTS, "k".repeat(512), "v".repeat(256 << 10)));
        store.crash();
        REFUSED.check(content(store).size() == 1, () -> "what is just allowed was not kept");
    }

    @Test
    void anyTextComesBackAsItWasWritten() {
        Store store = new Store();
        List<String> texts =
                List.of("", "{}", "{\"a\":1}", "{ \"a\" : 1.0e400 }", "[1]", "\t\"\\\n\r\u0000", "\ud83d\ude00\u2028");
        write(store, tx -> texts.forEach(text -> tx.put(TEXTS, "k" + texts.indexOf(text), text)));
        store.crash();
        DURABLE.check(
                content(store).values().stream().toList().equals(texts),
                () -> "there is " + content(store).values());
    }

    @Test
    void aRowOfAnOlderVersionIsReadAndOneOfANewerIsRefused() {
        Store store = new Store();
        write(store, tx -> tx.put(TEXTS, "old", "1"));
        store.crash();
        Codec<String> versions = new Codec<>() {
            @Override
            public String write(String value) {
                return value;
            }

            @Override
            public String read(int version, String text) {
                return "v" + version + "=" + text;
            }
        };
        Table<String> second = new Table<>("texts", 2, versions);
        Journal journal = journal();
        journal.open(second);
        done(journal.update(tx -> tx.put(second, "new", "2")));
        List<String> values =
                journal.read(tx -> tx.scan(second, "").map(Row::value).toList());
        REFUSED.check(values.equals(List.of("v2=2", "v1=1")), () -> "there is " + values);
        crash();
        JournalException refusal =
                refused(JournalException.class, () -> journal().open(TEXTS));
        REFUSED.check(refusal.kind() == ErrorKind.MISCONFIGURED, () -> "kind " + refusal.kind());
    }

    // ---- transactions at once

    @Test
    void noneOfManyIncrementsAtOnceIsLost() throws InterruptedException {
        Store store = new Store();
        int each = 25;
        AtomicInteger runs = new AtomicInteger();
        ConcurrencyStress.atOnce(IntStream.range(0, THREADS)
                .<Runnable>mapToObj(thread -> () -> IntStream.range(0, each)
                        .forEach(i -> write(store, tx -> {
                            runs.incrementAndGet();
                            tx.put(
                                    NUMBERS,
                                    "n",
                                    tx.get(NUMBERS, "n").map(Row::value).orElse(0) + 1);
                        })))
                .toList());
        store.crash();
        Optional<Integer> sum = store.journal.read(tx -> tx.get(NUMBERS, "n").map(Row::value));
        SERIALIZABLE.check(sum.equals(Optional.of(THREADS * each)), () -> "after " + runs + " runs the sum is " + sum);
    }

    @Test
    void ofManyThatLookForRoomAtOnceNoMoreAreTakenThanThereIs() throws InterruptedException {
        Store store = new Store();
        int room = 3;
        for (int round = 0; round < ROUNDS; round++) {
            String prefix = "round" + round + "/";
            ConcurrencyStress.atOnce(IntStream.range(0, THREADS)
                    .<Runnable>mapToObj(thread -> () -> write(store, tx -> {
                        if (tx.scan(TEXTS, prefix).count() < room) {
                            tx.put(TEXTS, prefix + thread, "1");
                        }
                    }))
                    .toList());
            List<String> taken = store.journal.read(tx -> keys(tx, prefix));
            SERIALIZABLE.check(taken.size() == room, () -> "for " + room + " there is " + taken);
        }
    }

    @Test
    void twoThatReadWhatTheOtherWritesDoNotBothGoThroughOnWhatTheyRead() throws InterruptedException {
        Store store = new Store();
        for (int round = 0; round < ROUNDS; round++) {
            write(store, tx -> {
                tx.put(NUMBERS, "left", 1);
                tx.put(NUMBERS, "right", 1);
            });
            ConcurrencyStress.atOnce(List.of(() -> leave(store, "left"), () -> leave(store, "right")));
            int sum = store.journal.read(
                    tx -> tx.scan(NUMBERS, "").mapToInt(Row::value).sum());
            SERIALIZABLE.check(sum == 1, () -> "of two that leave only if both are there, " + (2 - sum) + " left");
        }
    }

    private void leave(Store store, String side) {
        write(store, tx -> {
            if (tx.scan(NUMBERS, "").mapToInt(Row::value).sum() == 2) {
                tx.put(NUMBERS, side, 0);
            }
        });
    }

    // ---- watches

    /** What a watch has told. */
    private static class Told implements Source.Sink {
        private static final String SYNCED = "\n";

        private final List<String> keys = new CopyOnWriteArrayList<>();

        @Override
        public void changed(String key) {
            keys.add(key);
        }

        @Override
        public void synced() {
            keys.add(SYNCED);
        }

        @Override
        public void lost(String why) {
            keys.add("lost: " + why);
        }
    }

    @Test
    void aWatchTellsTheRowsThatThereAreAndThenTheKeysOfEachCommitInTheirOrder() throws Exception {
        Store store = new Store();
        write(store, tx -> {
            tx.put(TEXTS, "a", "1");
            tx.put(TEXTS, "b", "2");
            tx.put(NUMBERS, "n", 3);
        });
        Told told = new Told();
        List<String> expected = new ArrayList<>(List.of("a", "b", Told.SYNCED));
        try (AutoCloseable watch = store.journal.watch(TEXTS, told)) {
            TOLD.check(told.keys.equals(expected), () -> "of a and b it told at first " + told.keys);
            for (int i = 0; i < 100; i++) {
                String key = "k" + (i * 37 % 100);
                write(store, tx -> tx.put(TEXTS, key, "1"));
                write(store, tx -> tx.put(NUMBERS, key, 1));
                expected.add(key);
            }
            write(store, tx -> tx.delete(TEXTS, "b"));
            write(store, tx -> {
                tx.delete(TEXTS, "was-never-there");
                tx.put(TEXTS, "a", "1"); // as it is
            });
            write(store, tx -> tx.put(TEXTS, "last", ""));
            expected.addAll(List.of("b", "last"));
            eventually(() -> told.keys.contains("last"), () -> "it told " + told.keys);
            List<String> all = List.copyOf(told.keys);
            TOLD.check(all.equals(expected), () -> "it told " + all + ", not " + expected);
        }
        write(store, tx -> tx.put(TEXTS, "afterwards", ""));
        Told other = new Told();
        try (AutoCloseable watch = store.journal.watch(TEXTS, other)) {
            write(store, tx -> tx.put(TEXTS, "later", ""));
            eventually(() -> other.keys.contains("later"), () -> "a second watch told " + other.keys);
        }
        TOLD.check(!told.keys.contains("later"), () -> "a watch that was closed told of a later commit");
    }

    @Test
    void aWatchForgetsNoKeyOfManyCommitsAtOnceAndReadsSeeWhatItTells() throws Exception {
        Store store = new Store();
        for (int round = 0; round < ROUNDS / 4; round++) {
            Map<String, Optional<String>> seen = new ConcurrentHashMap<>();
            Told told = new Told() {
                @Override
                public void changed(String key) {
                    seen.put(key, store.journal.read(tx -> tx.get(TEXTS, key).map(Row::value)));
                }
            };
            List<Runnable> all = new ArrayList<>();
            AtomicReference<AutoCloseable> watch = new AtomicReference<>();
            all.add(() -> watch.set(store.journal.watch(TEXTS, told)));
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(100L * round + thread);
                all.add(() -> {
                    for (int i = 0; i < 15; i++) {
                        Map<String, Optional<String>> writes = writes(random);
                        write(
                                store,
                                tx -> writes.forEach((key, text) -> text.ifPresentOrElse(
                                        put -> tx.put(TEXTS, key, put), () -> tx.delete(TEXTS, key))));
                    }
                });
            }
            ConcurrencyStress.atOnce(all);
            try (AutoCloseable open = watch.get()) {
                eventually(
                        () -> content(store).equals(present(seen)),
                        () -> "there is " + content(store) + ", and when they were told the rows were "
                                + present(seen));
            }
            TOLD.check(told.keys.equals(List.of(Told.SYNCED)), () -> "it told " + told.keys);
        }
    }

    private static Map<String, String> present(Map<String, Optional<String>> rows) {
        Map<String, String> present = new TreeMap<>();
        rows.forEach((key, row) -> row.ifPresent(value -> present.put(key, value)));
        return present;
    }

    private void eventually(BooleanSupplier reached, Supplier<String> found) throws InterruptedException {
        long end = System.nanoTime() + patience().toNanos();
        while (!reached.getAsBoolean()) {
            TOLD.check(System.nanoTime() < end, found);
            Thread.sleep(5);
        }
    }

    // ---- crashes

    @Test
    void anyHistoryGoesOnAfterACrashFromAStateThatItWasIn() throws InterruptedException {
        Seed.telling(seed -> IntStream.range(0, histories()).forEach(number -> history(new Random(seed + number))));
    }

    /** Each commit counts itself, so that a state says which commit it is of. */
    private void history(Random random) {
        Store store = new Store();
        write(store, tx -> tx.scan(TEXTS, "").toList().forEach(row -> tx.delete(TEXTS, row.key())));
        write(store, tx -> tx.put(NUMBERS, "n", 0));
        List<Map<String, String>> states = new ArrayList<>(List.of(Map.of()));
        int acknowledged = 0;
        for (int life = 0; life < 3; life++) {
            int commits = random.nextInt(6);
            List<CompletionStage<Integer>> stages = new ArrayList<>();
            for (int i = 0; i < commits; i++) {
                Map<String, String> next = new TreeMap<>(states.get(states.size() - 1));
                Map<String, Optional<String>> writes = writes(random);
                writes.forEach((key, text) -> text.ifPresentOrElse(put -> next.put(key, put), () -> next.remove(key)));
                states.add(next);
                stages.add(store.journal.commit(tx -> {
                    int n = tx.get(NUMBERS, "n").orElseThrow().value() + 1;
                    tx.put(NUMBERS, "n", n);
                    writes.forEach((key, text) ->
                            text.ifPresentOrElse(put -> tx.put(TEXTS, key, put), () -> tx.delete(TEXTS, key)));
                    return n;
                }));
                if (random.nextBoolean()) {
                    acknowledged = result(stages.get(stages.size() - 1));
                    stages.clear();
                } else {
                    break; // on its way when the crash comes
                }
            }
            store.crash();
            int found =
                    store.journal.read(tx -> tx.get(NUMBERS, "n").orElseThrow().value());
            int least = acknowledged;
            DURABLE.check(
                    found >= least && found < states.size() && content(store).equals(states.get(found)),
                    () -> "after commit " + least + " of " + (states.size() - 1) + " was acknowledged, commit " + found
                            + " is the last one and there is " + content(store));
            states.subList(found + 1, states.size()).clear();
            acknowledged = found;
        }
    }

    private static Map<String, Optional<String>> writes(Random random) {
        Map<String, Optional<String>> writes = new TreeMap<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            String key = "k" + random.nextInt(5);
            writes.put(key, random.nextInt(3) == 0 ? Optional.empty() : Optional.of("v" + random.nextInt(100)));
        }
        return writes;
    }

    // ---- helpers

    private void write(Store store, Consumer<Transaction> change) {
        done(store.journal.update(change));
    }

    private void done(CompletionStage<?> stage) {
        result(stage);
    }

    private <R> R result(CompletionStage<R> stage) {
        try {
            return stage.toCompletableFuture().get(patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("a commit failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("a commit did not end within " + patience(), e);
        }
    }

    private Throwable failure(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().get(patience().toMillis(), TimeUnit.MILLISECONDS);
            throw REFUSED.broken("the commit went through");
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("a commit did not end within " + patience(), e);
        }
    }

    private static <E extends RuntimeException> E refused(Class<E> refusal, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            REFUSED.check(refusal.isInstance(e), () -> "in place of " + refusal.getSimpleName() + ": " + e);
            return refusal.cast(e);
        }
        throw REFUSED.broken("it went through");
    }

    private void refused(Store store, ErrorKind kind, Consumer<Transaction> change) {
        Throwable failure = failure(store.journal.update(change));
        REFUSED.check(
                failure instanceof JournalException refusal && refusal.kind() == kind,
                () -> "in place of " + kind + ": " + failure);
        REFUSED.check(
                content(store).isEmpty(), () -> "there is " + content(store).keySet());
    }

    private static List<String> keys(Transaction tx, String prefix) {
        return tx.scan(TEXTS, prefix).map(Row::key).toList();
    }

    private static Map<String, String> content(Store store) {
        Function<Transaction, Map<String, String>> all = tx ->
                tx.scan(TEXTS, "").collect(Collectors.toMap(Row::key, Row::value, (one, other) -> one, TreeMap::new));
        return store.journal.read(all);
    }
}
