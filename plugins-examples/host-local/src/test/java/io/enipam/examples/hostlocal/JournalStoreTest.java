package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.hostlocal.Callers.Caller;
import io.enipam.sdk.CniService.CniAnswer;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.testkit.InMemoryJournal;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses in the journal alone are those that files would have. */
class JournalStoreTest {
    private static final String CONF =
            "{'cniVersion':'1.1.0','name':'mynet','ipam':{'type':'host-local','dataDir':'DIR',"
                    + "'ranges':[[{'subnet':'10.1.2.0/28'},{'subnet':'10.1.3.0/29'}],[{'subnet':'fd00::/64'}]]}}";

    @TempDir
    Path data;

    private static JournalStore store(Journal journal) {
        return new JournalStore(new Ledger(journal, "host-local", Clock.systemUTC()).journal());
    }

    private String conf() {
        return CONF.replace('\'', '"').replace("DIR", data.toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void itAnswersAsTheFilesDo(long seed) {
        Random random = new Random(seed);
        InMemoryJournal journal = new InMemoryJournal();
        Caller tables = Callers.ours(store(journal));
        try (FileStore store = new FileStore()) {
            Caller files = Callers.ours(store);
            for (int step = 0; step < 300; step++) {
                if (random.nextInt(40) == 0) {
                    // a daemon that starts anew
                    tables = Callers.ours(store(journal));
                }
                String command = List.of("ADD", "ADD", "DEL", "CHECK", "STATUS").get(random.nextInt(5));
                String container = "c" + random.nextInt(24);
                CniAnswer expected = files.call(command, container, conf());
                assertThat(tables.call(command, container, conf()))
                        .as("step %s", step)
                        .isEqualTo(expected);
                if (expected.status() != 0 && command.equals("ADD")) {
                    // the files burn an address on a failure, the journal does not
                    files.call("DEL", container, conf());
                    tables.call("DEL", container, conf());
                }
            }
        }
    }

    @Test
    void aFailureTakesNothing() {
        Caller plugin = Callers.ours(store(new InMemoryJournal()));
        String wrong = conf().replace("\"name\"", "\"args\":{\"cni\":{\"ips\":[\"10.9.9.9\"]}},\"name\"");
        assertThat(plugin.call("ADD", "c1", wrong).stdout()).contains("failed to allocate all requested IPs: 10.9.9.9");
        assertThat(plugin.call("ADD", "c1", conf()).stdout()).contains("10.1.2.2/28", "fd00::2/64");
        assertThat(Callers.files(data)).as("no file is written").isEmpty();
    }

    /** A small network, of five addresses for containers. */
    private String small() {
        return conf().replace(
                        "[{\"subnet\":\"10.1.2.0/28\"},{\"subnet\":\"10.1.3.0/29\"}],[{\"subnet\":\"fd00::/64\"}]",
                        "[{\"subnet\":\"10.1.2.0/29\"}]");
    }

    /** Writes each commit, and can then say that it did not answer in time. */
    private record LateJournal(InMemoryJournal rows, AtomicBoolean late) implements Journal {
        @Override
        public void open(Table<?> table) {
            rows.open(table);
        }

        @Override
        public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
            CompletionStage<R> written = rows.commit(change);
            return late.get()
                    ? CompletableFuture.failedStage(new JournalException(ErrorKind.DEADLINE_EXCEEDED, "no answer"))
                    : written;
        }

        @Override
        public <R> R read(Function<Transaction, R> query) {
            return rows.read(query);
        }
    }

    @Test
    void anAddressThatACommitGaveBackWithoutAnAnswerIsGivenAgain() {
        AtomicBoolean late = new AtomicBoolean();
        Caller plugin = Callers.ours(store(new LateJournal(new InMemoryJournal(), late)));
        assertThat(plugin.call("ADD", "c2", small()).stdout()).contains("10.1.2.2/29");
        late.set(true);
        assertThat(plugin.call("DEL", "c2", small()).stdout()).contains("no answer");
        late.set(false);
        for (String end : "3 4 5 6 2".split(" ")) {
            assertThat(plugin.call("ADD", "n" + end, small()).stdout()).contains("10.1.2." + end + "/29");
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whatAnotherPartTookOfTheSameTablesIsPassedOver() {
        InMemoryJournal journal = new InMemoryJournal();
        Caller former = Callers.ours(store(journal));
        Caller next = Callers.ours(store(journal));
        assertThat(former.call("ADD", "c2", small()).stdout()).contains("10.1.2.2/29");
        for (String end : "3 4 5 6".split(" ")) {
            assertThat(next.call("ADD", "c" + end, small()).stdout()).contains("10.1.2." + end + "/29");
        }
        assertThat(former.call("ADD", "c7", small()).stdout()).contains("no IP addresses available");
    }

    @Test
    void manyCallersAtOnceGetDifferentAddresses() throws Exception {
        Caller plugin = Callers.ours(store(new InMemoryJournal()));
        String conf = conf().replace("/28", "/24");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<CniAnswer>> work = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                String container = "c" + i;
                work.add(() -> plugin.call("ADD", container, conf));
            }
            List<String> given = new ArrayList<>();
            for (Future<CniAnswer> done : threads.invokeAll(work)) {
                assertThat(done.get().status()).as(done.get().stdout()).isZero();
                given.add(Callers.json(done.get())
                        .get("ips")
                        .get(0)
                        .get("address")
                        .asText());
            }
            assertThat(given).doesNotHaveDuplicates().hasSize(100);
        } finally {
            threads.shutdownNow();
        }
    }
}
