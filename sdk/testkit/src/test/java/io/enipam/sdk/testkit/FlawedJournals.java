package io.enipam.sdk.testkit;

import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Journals that break one rule each, and the test of the contract that finds it. */
final class FlawedJournals {
    private FlawedJournals() {}

    /** A sound store under the flawed journal, or the flawed transactions, that a subclass puts over it. */
    abstract static class Flawed extends JournalContract {
        InMemoryJournal store = new InMemoryJournal();

        Journal over(InMemoryJournal sound) {
            return new Passing(sound, this::seen);
        }

        /** The transaction that a function is given. */
        Transaction seen(Transaction tx) {
            return tx;
        }

        @Override
        protected Journal journal() {
            store = store.reopened();
            return over(store);
        }

        @Override
        protected void crash() {}
    }

    /** Passes on everything; subclasses change a part. */
    static class Passing implements Journal {
        final Journal sound;
        private final UnaryOperator<Transaction> seen;

        Passing(Journal sound) {
            this(sound, UnaryOperator.identity());
        }

        Passing(Journal sound, UnaryOperator<Transaction> seen) {
            this.sound = sound;
            this.seen = seen;
        }

        @Override
        public void open(Table<?> table) {
            sound.open(table);
        }

        @Override
        public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
            return sound.commit(tx -> change.apply(seen.apply(tx)));
        }

        @Override
        public AutoCloseable watch(Table<?> table, Source.Sink sink) {
            return sound.watch(table, sink);
        }

        @Override
        public <R> R read(Function<Transaction, R> query) {
            return sound.read(tx -> query.apply(seen.apply(tx)));
        }
    }

    /** A transaction that passes on everything; subclasses change a part. */
    static class PassingTransaction implements Transaction {
        final Transaction tx;

        PassingTransaction(Transaction tx) {
            this.tx = tx;
        }

        @Override
        public <V> Optional<Row<V>> get(Table<V> table, String key) {
            return tx.get(table, key);
        }

        @Override
        public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
            return tx.scan(table, prefix);
        }

        @Override
        public <V> void put(Table<V> table, String key, V value) {
            tx.put(table, key, value);
        }

        @Override
        public void delete(Table<?> table, String key) {
            tx.delete(table, key);
        }
    }

    @Breaks("aTransactionReadsWhatItHasWritten")
    static class ReadsTheStateOfBefore extends Flawed {
        @Override
        Transaction seen(Transaction tx) {
            return new PassingTransaction(tx) {
                @Override
                public <V> Optional<Row<V>> get(Table<V> table, String key) {
                    return store.read(before -> before.get(table, key));
                }
            };
        }
    }

    @Breaks("aScanGivesTheRowsOfAPrefixAscending")
    static class ScansPartsOfKeys extends Flawed {
        @Override
        Transaction seen(Transaction tx) {
            return new PassingTransaction(tx) {
                @Override
                public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
                    return tx.scan(table, "").filter(row -> row.key().contains(prefix));
                }
            };
        }
    }

    @Breaks("aFunctionThatThrowsHasNoEffectAndItsExceptionIsTheAnswer")
    static class WrapsExceptions extends Flawed {
        @Override
        Journal over(InMemoryJournal sound) {
            return new Passing(sound) {
                @Override
                public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
                    return super.commit(tx -> {
                        try {
                            return change.apply(tx);
                        } catch (IllegalStateException e) {
                            throw new IllegalStateException("the transaction failed", e);
                        }
                    });
                }
            };
        }
    }

    @Breaks("aTransactionIsOverWhenItsFunctionReturns")
    static class AcceptsLateWrites extends Flawed {
        @Override
        Transaction seen(Transaction tx) {
            return new PassingTransaction(tx) {
                @Override
                public <V> void put(Table<V> table, String key, V value) {
                    try {
                        tx.put(table, key, value);
                    } catch (IllegalStateException e) {
                        // lost without a word
                    }
                }
            };
        }
    }

    @Breaks("aRevisionNeverComesAgain")
    static class CountsNoRevisions extends Flawed {
        @Override
        Journal over(InMemoryJournal sound) {
            return new Passing(sound) {
                @Override
                public <R> R read(Function<Transaction, R> query) {
                    return sound.read(tx -> query.apply(new PassingTransaction(tx) {
                        @Override
                        public <V> Optional<Row<V>> get(Table<V> table, String key) {
                            return tx.get(table, key).map(row -> new Row<>(row.key(), row.value(), 1));
                        }
                    }));
                }
            };
        }
    }

    @Breaks("whatIsBeyondTheBoundsIsRefused")
    static class CutsWhatIsTooLong extends Flawed {
        @Override
        Transaction seen(Transaction tx) {
            return new PassingTransaction(tx) {
                @Override
                public <V> Optional<Row<V>> get(Table<V> table, String key) {
                    return tx.get(table, key.length() > 512 ? key.substring(0, 512) : key);
                }
            };
        }
    }

    @Breaks("anyTextComesBackAsItWasWritten")
    static class StripsTexts extends Flawed {
        @Override
        Transaction seen(Transaction tx) {
            return new PassingTransaction(tx) {
                @Override
                @SuppressWarnings("unchecked")
                public <V> void put(Table<V> table, String key, V value) {
                    tx.put(table, key, value instanceof String text ? (V) text.strip() : value);
                }
            };
        }
    }

    @Breaks("aRowOfAnOlderVersionIsReadAndOneOfANewerIsRefused")
    static class OpensAnything extends Flawed {
        @Override
        Journal over(InMemoryJournal sound) {
            return new Passing(sound) {
                @Override
                public void open(Table<?> table) {
                    try {
                        sound.open(table);
                    } catch (RuntimeException e) {
                        // it is seen when a row is read
                    }
                }
            };
        }
    }

    @Breaks(
            value = "aWatchTellsTheRowsThatThereAreAndThenTheKeysOfEachCommitInTheirOrder",
            orAlso = "aWatchForgetsNoKeyOfManyCommitsAtOnceAndReadsSeeWhatItTells")
    static class ListsOnce extends Flawed {
        @Override
        protected Duration patience() {
            return Duration.ofSeconds(10);
        }

        @Override
        Journal over(InMemoryJournal sound) {
            return new Passing(sound) {
                @Override
                public AutoCloseable watch(Table<?> table, Source.Sink sink) {
                    read(tx -> tx.scan(table, "").map(Row::key).toList()).forEach(sink::changed);
                    sink.synced();
                    return () -> {};
                }
            };
        }
    }

    @Breaks(
            value = "aWatchForgetsNoKeyOfManyCommitsAtOnceAndReadsSeeWhatItTells",
            orAlso = "aWatchTellsTheRowsThatThereAreAndThenTheKeysOfEachCommitInTheirOrder")
    static class TellsEachKeyOnce extends Flawed {
        @Override
        protected Duration patience() {
            return Duration.ofSeconds(10);
        }

        @Override
        Journal over(InMemoryJournal sound) {
            return new Passing(sound) {
                @Override
                public AutoCloseable watch(Table<?> table, Source.Sink sink) {
                    Set<String> told = ConcurrentHashMap.newKeySet();
                    return sound.watch(table, new Source.Sink() {
                        @Override
                        public void changed(String key) {
                            if (told.add(key)) {
                                sink.changed(key);
                            }
                        }

                        @Override
                        public void synced() {
                            sink.synced();
                        }

                        @Override
                        public void lost(String why) {
                            sink.lost(why);
                        }
                    });
                }
            };
        }
    }

    @Breaks(
            value = "noneOfManyIncrementsAtOnceIsLost",
            orAlso = {
                "ofManyThatLookForRoomAtOnceNoMoreAreTakenThanThereIs",
                "twoThatReadWhatTheOtherWritesDoNotBothGoThroughOnWhatTheyRead"
            })
    static class LooksForNoConflict extends Flawed {
        @Override
        Journal over(InMemoryJournal sound) {
            return new Optimistic(sound, false, false);
        }
    }

    @Breaks(value = "ofManyThatLookForRoomAtOnceNoMoreAreTakenThanThereIs", orAlso = "noneOfManyIncrementsAtOnceIsLost")
    static class ForgetsWhatWasNotThere extends Flawed {
        @Override
        Journal over(InMemoryJournal sound) {
            return new Optimistic(sound, true, true);
        }
    }

    @Breaks(
            value = "twoThatReadWhatTheOtherWritesDoNotBothGoThroughOnWhatTheyRead",
            orAlso = {"noneOfManyIncrementsAtOnceIsLost", "ofManyThatLookForRoomAtOnceNoMoreAreTakenThanThereIs"})
    static class ComparesWhatIsWrittenAlone extends Flawed {
        @Override
        Journal over(InMemoryJournal sound) {
            return new Optimistic(sound, true, false);
        }
    }

    @Breaks(
            value = "anyHistoryGoesOnAfterACrashFromAStateThatItWasIn",
            orAlso = {
                "aRevisionNeverComesAgain",
                "whatIsBeyondTheBoundsIsRefused",
                "anyTextComesBackAsItWasWritten",
                "aRowOfAnOlderVersionIsReadAndOneOfANewerIsRefused",
                "noneOfManyIncrementsAtOnceIsLost"
            })
    static class LosesTheLastCommit extends Flawed {
        private InMemoryJournal before = store;

        @Override
        Journal over(InMemoryJournal memory) {
            before = memory.reopened();
            return new Passing(memory) {
                @Override
                public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
                    before = memory.reopened();
                    return sound.commit(change);
                }
            };
        }

        @Override
        protected void crash() {
            store = before;
        }
    }

    /** Runs the function on what it finds, then compares some of that and writes, and runs it again if it is another. */
    private static final class Optimistic extends Passing {
        private final boolean compares;
        private final boolean comparesReads;

        Optimistic(Journal sound, boolean compares, boolean comparesReads) {
            super(sound);
            this.compares = compares;
            this.comparesReads = comparesReads;
        }

        /** What a run has read and replaces, by table and key, and what it writes. */
        private static final class Run extends PassingTransaction {
            final Map<Table<?>, Map<String, Long>> read = new HashMap<>();
            final Map<Table<?>, Map<String, Long>> replaced = new HashMap<>();
            final List<Consumer<Transaction>> writes = new ArrayList<>();

            Run(Transaction tx) {
                super(tx);
            }

            @Override
            public <V> Optional<Row<V>> get(Table<V> table, String key) {
                Optional<Row<V>> row = tx.get(table, key);
                row.ifPresent(found -> note(read, table, found));
                return row;
            }

            @Override
            public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
                return tx.scan(table, prefix).peek(row -> note(read, table, row)).toList().stream();
            }

            @Override
            public <V> void put(Table<V> table, String key, V value) {
                tx.get(table, key).ifPresent(row -> note(replaced, table, row));
                tx.put(table, key, value);
                writes.add(later -> later.put(table, key, value));
            }

            @Override
            public void delete(Table<?> table, String key) {
                tx.delete(table, key);
                writes.add(later -> later.delete(table, key));
            }

            private static void note(Map<Table<?>, Map<String, Long>> of, Table<?> table, Row<?> row) {
                if (row.revision() > 0) {
                    of.computeIfAbsent(table, any -> new HashMap<>()).putIfAbsent(row.key(), row.revision());
                }
            }
        }

        /** Undoes what a run wrote. */
        private static final class Undone extends RuntimeException {
            private static final long serialVersionUID = 1L;

            Undone() {
                super("undone", null, false, false);
            }
        }

        @Override
        public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
            while (true) {
                AtomicReference<Run> run = new AtomicReference<>();
                AtomicReference<R> result = new AtomicReference<>();
                CompletionStage<R> tried = sound.commit(tx -> {
                    run.set(new Run(tx));
                    result.set(change.apply(run.get()));
                    throw new Undone();
                });
                Throwable failure =
                        tried.handle((none, why) -> why).toCompletableFuture().join();
                if (!(failure instanceof Undone)) {
                    return tried;
                }
                LockSupport.parkNanos(3_000_000); // others come between
                boolean written = sound.commit(tx -> unchanged(run.get(), tx) && all(run.get().writes, tx))
                        .toCompletableFuture()
                        .join();
                if (written) {
                    return CompletableFuture.completedStage(result.get());
                }
            }
        }

        private static boolean all(List<Consumer<Transaction>> writes, Transaction tx) {
            writes.forEach(write -> write.accept(tx));
            return true;
        }

        private boolean unchanged(Run run, Transaction tx) {
            return !compares || same(run.replaced, tx) && (!comparesReads || same(run.read, tx));
        }

        private static boolean same(Map<Table<?>, Map<String, Long>> rows, Transaction tx) {
            return rows.entrySet().stream()
                    .allMatch(table -> table.getValue().entrySet().stream()
                            .allMatch(row -> tx.get(table.getKey(), row.getKey())
                                    .map(Row::revision)
                                    .equals(Optional.of(row.getValue()))));
        }
    }
}
