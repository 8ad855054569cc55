package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Table;
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
}
