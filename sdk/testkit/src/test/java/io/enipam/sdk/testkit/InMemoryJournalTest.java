package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The journal that tests of plugins get keeps the contract of the daemon's. */
class InMemoryJournalTest extends JournalContract {
    private InMemoryJournal journal = new InMemoryJournal();

    @Override
    protected Journal journal() {
        journal = journal.reopened();
        return journal;
    }

    @Override
    protected void crash() {}

    /** The daemon's journal always did; this one passed on what the codec threw. */
    @Test
    void aCodecThatCannotWriteFailsTheTransactionAsInTheDaemon() {
        Table<String> broken = new Table<>("broken", 1, new Codec<>() {
            @Override
            public String write(String value) {
                throw new IllegalStateException("no text for " + value);
            }

            @Override
            public String read(int version, String text) {
                return text;
            }
        });
        journal.open(broken);

        Throwable failure = journal.update(tx -> tx.put(broken, "a", "1"))
                .handle((done, why) -> why)
                .toCompletableFuture()
                .join();

        assertThat(failure).hasMessageContaining("the codec cannot write row").hasMessageContaining("no text for 1");
        Throwable cause = failure instanceof JournalException ? failure : failure.getCause();
        assertThat(((JournalException) cause).kind()).isEqualTo(ErrorKind.INTERNAL);
    }

    @Test
    void aCodecThatDoesNotReadWhatItSaysItKeepsFailsTheTransaction() {
        Table<List<String>> table = new Table<>("lossy", 1, new Codec<>() {
            @Override
            public String write(List<String> value) {
                return value.get(0);
            }

            @Override
            public List<String> read(int version, String text) {
                return List.of(text);
            }

            @Override
            public boolean keepsValues() {
                return true;
            }
        });
        journal.open(table);
        journal.update(tx -> tx.put(table, "a", List.of("1")))
                .toCompletableFuture()
                .join();

        Throwable failure = journal.update(tx -> tx.put(table, "a", List.of("1", "2")))
                .handle((done, why) -> why)
                .toCompletableFuture()
                .join();

        assertThat(failure).hasMessageContaining("the codec of table lossy says that it keeps values");
    }

    /** Otherwise a test that looks at what a commit brought about sees it or not, as another thread's watch begins. */
    @Test
    void aCommitReturnsWhenItsWatchesAreToldThoughAnotherThreadTellsThem() throws Exception {
        Table<String> table = new Table<>("told", 1, new Codec<>() {
            @Override
            public String write(String value) {
                return value;
            }

            @Override
            public String read(int version, String text) {
                return text;
            }
        });
        journal.open(table);
        CountDownLatch telling = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Set<String> told = ConcurrentHashMap.newKeySet();
        journal.watch(table, new Source.Sink() {
            @Override
            public void changed(String key) {
                if (key.equals("slow")) {
                    telling.countDown();
                    try {
                        goOn.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                told.add(key);
            }

            @Override
            public void synced() {}

            @Override
            public void lost(String why) {}
        });
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            threads.submit(() -> journal.update(tx -> tx.put(table, "slow", "1")));
            assertThat(telling.await(60, TimeUnit.SECONDS)).isTrue();
            Future<Boolean> other = threads.submit(() -> {
                journal.update(tx -> tx.put(table, "next", "1"));
                return told.contains("next");
            });
            while (!journal.read(tx -> tx.get(table, "next")).isPresent()) {
                Thread.onSpinWait();
            }
            goOn.countDown();
            assertThat(other.get(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }
}
