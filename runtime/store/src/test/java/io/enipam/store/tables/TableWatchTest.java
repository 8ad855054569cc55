package io.enipam.store.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Watches of tables whose plugin is slow, fails or is closed: no commit waits for them, and what waits is bounded. */
class TableWatchTest {
    private static final Table<String> TABLE = new Table<>("t", 1, Codec.text());
    private static final Table<String> OTHER = new Table<>("other", 1, Codec.text());

    private final VirtualTime time = new VirtualTime();
    private final MemoryDb db = new MemoryDb(time, () -> Duration.ofMillis(1));
    private final PluginTables tables = new PluginTables(db);
    private final Journal writer = opened("one", time::execute);
    /** What the watching plugin's thread has still to do. */
    private final Deque<Runnable> waiting = new ArrayDeque<>();

    private final Journal watching = opened("one", waiting::add);
    private final Told told = new Told();

    /** Keys, {@code synced} and why it was lost. */
    private static final class Told implements Source.Sink {
        private final List<String> all = new ArrayList<>();
        private boolean throwing;

        @Override
        public void changed(String key) {
            if (throwing) {
                throw new IllegalStateException("full");
            }
            all.add(key);
        }

        @Override
        public void synced() {
            all.add("synced");
        }

        @Override
        public void lost(String why) {
            all.add("lost: " + why);
        }

        List<String> take() {
            List<String> taken = List.copyOf(all);
            all.clear();
            return taken;
        }
    }

    private Journal opened(String plugin, Executor thread) {
        Journal journal = tables.of(plugin, thread);
        journal.open(TABLE);
        journal.open(OTHER);
        return journal;
    }

    private void write(Consumer<Transaction> change) {
        writer.update(change);
        time.advance(Duration.ofMillis(10));
    }

    private void run() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }

    @Test
    void aPluginThatIsSlowHoldsUpNoCommitAndIsToldWhatDiffers() {
        write(tx -> Stream.of("a", "b", "c").forEach(key -> tx.put(TABLE, key, "1")));
        watching.watch(TABLE, told);
        run();
        assertThat(told.take()).containsExactly("a", "b", "c", "synced");

        for (int part = 0; part < 5; part++) {
            int from = part * 1_000;
            write(tx -> IntStream.range(from, from + 1_000).forEach(i -> tx.put(TABLE, "k" + (10_000 + i), "1")));
        }
        write(tx -> tx.delete(TABLE, "b"));
        write(tx -> tx.put(TABLE, "c", "2"));
        write(tx -> tx.put(TABLE, "passing", "1"));
        write(tx -> tx.delete(TABLE, "passing"));
        assertThat(told.take()).isEmpty();
        assertThat(waiting).as("one task, whatever waits").hasSize(1);

        run();
        assertThat(told.take())
                .containsExactlyElementsOf(Stream.concat(
                                Stream.of("b", "c"), IntStream.range(0, 5_000).mapToObj(i -> "k" + (10_000 + i)))
                        .toList());
        write(tx -> tx.put(TABLE, "z", "1"));
        write(tx -> tx.put(TABLE, "a", "2"));
        write(tx -> tx.put(TABLE, "c", "2")); // as it is
        run();
        assertThat(told.take()).as("in the order of the commits again").containsExactly("z", "a");
    }

    @Test
    void whatCameWhileTheRowsWereToldFollowsThem() {
        write(tx -> tx.put(TABLE, "a", "1"));
        watching.watch(TABLE, new Source.Sink() {
            @Override
            public void changed(String key) {
                told.changed(key);
                if (key.equals("a")) {
                    write(tx -> tx.put(TABLE, "b", "1"));
                }
            }

            @Override
            public void synced() {
                told.synced();
            }

            @Override
            public void lost(String why) {
                told.lost(why);
            }
        });
        run();
        assertThat(told.take()).containsExactly("a", "synced", "b");
    }

    @Test
    void ofOtherTablesAndPluginsAndOfCommitsThatFailNothingIsTold() throws Exception {
        Journal stranger = opened("one-more", time::execute);
        AutoCloseable watch = watching.watch(TABLE, told);
        run();
        told.take();

        write(tx -> tx.put(OTHER, "k", "1"));
        stranger.update(tx -> tx.put(TABLE, "k", "1"));
        db.broken(true);
        write(tx -> tx.put(TABLE, "k", "1"));
        db.broken(false);
        assertThat(waiting).isEmpty();

        write(tx -> tx.put(TABLE, "k", "1"));
        watch.close();
        run();
        write(tx -> tx.put(TABLE, "l", "1"));
        assertThat(waiting).isEmpty();
        assertThat(told.take()).isEmpty();
    }

    @Test
    void aSinkThatThrowsAndAPluginThatIsClosedEndTheirWatchesAlone() {
        watching.watch(TABLE, told);
        Told other = new Told();
        Deque<Runnable> others = new ArrayDeque<>();
        opened("one", task -> {
                    if (!others.isEmpty()) {
                        throw new RejectedExecutionException("closed");
                    }
                    others.add(task);
                })
                .watch(TABLE, other);
        others.peek().run(); // and stays there: the next one is refused
        run();
        told.take();
        told.throwing = true;

        write(tx -> tx.put(TABLE, "k", "1"));
        run();
        assertThat(told.take()).containsExactly("lost: what it was told failed: java.lang.IllegalStateException: full");
        told.throwing = false;
        write(tx -> tx.put(TABLE, "l", "1"));
        assertThat(waiting).isEmpty();
        assertThat(other.take()).containsExactly("synced");
        assertThat(writer.<Long>read(tx -> tx.scan(TABLE, "").count())).isEqualTo(2);
    }

    @Test
    void aSinkWithoutAClassThatItNeedsIsToldThatItIsLost() {
        watching.watch(TABLE, new Source.Sink() {
            @Override
            public void changed(String key) {
                throw new NoClassDefFoundError("of a jar that was replaced");
            }

            @Override
            public void synced() {
                told.synced();
            }

            @Override
            public void lost(String why) {
                told.lost(why);
            }
        });
        write(tx -> tx.put(TABLE, "k", "1"));
        run();
        assertThat(told.take())
                .containsExactly(
                        "synced",
                        "lost: what it was told failed: java.lang.NoClassDefFoundError: of a jar that was replaced");
    }

    @Test
    void aTableThatWasNotOpenedIsRefused() {
        assertThatThrownBy(() -> watching.watch(new Table<>("unknown", 1, Codec.text()), told))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED));
    }
}
