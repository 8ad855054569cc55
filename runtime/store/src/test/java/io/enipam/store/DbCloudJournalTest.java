package io.enipam.store;

import static io.enipam.store.TestRecords.NOON;
import static io.enipam.store.TestRecords.ROOMY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudJournal.Entry;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ForwardingDb;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Span;
import io.enipam.engine.testing.TestThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DbCloudJournalTest {
    private static final List<CloudOperation> ONE_OF_EACH = List.of(
            new CloudOperation.Create("enipam-1", "vsw-1", List.of("sg-2", "sg-1"), Map.of("node", "i-1"), 0),
            new CloudOperation.Attach("eni-1", "i-1"),
            new CloudOperation.Assign("eni-1", 10, 0, "enipam-2"),
            new CloudOperation.Unassign("eni-1", List.of("10.0.0.7", "10.0.0.8")),
            new CloudOperation.Detach("eni-1", "i-1"),
            new CloudOperation.Delete("eni-1"));

    @TempDir
    Path temp;

    private static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (CloudOperation operation : ONE_OF_EACH) {
            entries.add(Entry.of(operation, NOON.plusSeconds(entries.size()), entries.size()));
        }
        return entries;
    }

    private static void begin(CloudJournal journal, Entry entry) {
        journal.begin(entry)
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private static void awaitOpen(CloudJournal journal, List<Entry> expected) {
        await().atMost(Duration.ofSeconds(60)).until(() -> journal.open().equals(expected));
    }

    @Test
    void endsOfManyThreadsAtOnceAllGetToTheDisk() throws Exception {
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            CloudJournal journal = new DbCloudJournal(() -> db);
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int thread = t;
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                Entry entry = Entry.of(
                                        new CloudOperation.Attach("eni-" + thread, "i-1"), NOON.plusSeconds(i), thread);
                                begin(journal, entry);
                                journal.end(entry.id());
                            }
                        },
                        TestThreads.PER_TASK));
            }
            for (CompletableFuture<Void> thread : threads) {
                thread.get(120, TimeUnit.SECONDS);
            }
            awaitOpen(journal, List.of());
        }
    }

    @Test
    void whatWasBegunAndNotEndedIsOpenAfterAReopenWithEveryParameter() {
        List<Entry> entries = entries();
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            CloudJournal journal = new DbCloudJournal(() -> db);
            entries.forEach(entry -> begin(journal, entry));
        }
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            CloudJournal journal = new DbCloudJournal(() -> db);
            assertThat(journal.open()).isEqualTo(entries);
            entries.subList(0, 5).forEach(entry -> journal.end(entry.id()));
            journal.end("never-begun");
            awaitOpen(journal, entries.subList(5, 6));
        }
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            assertThat(new DbCloudJournal(() -> db).open()).isEqualTo(entries.subList(5, 6));
        }
    }

    @Test
    void aDumpShowsAnOpenOperationAsOneReadableLine() {
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY)) {
            begin(new DbCloudJournal(() -> db), entries().get(0));

            assertThat(db.records()).singleElement().satisfies(record -> {
                assertThat(record.bucket()).isEqualTo("operations");
                assertThat(record.key()).isEqualTo("create/enipam-1/2026-11-21T12:00:00.000000001Z-0");
                assertThat(record.json())
                        .isEqualTo("{\"v\":1,\"id\":\"create/enipam-1/2026-11-21T12:00:00.000000001Z-0\","
                                + "\"since\":\"2026-11-21T12:00:00.000000001Z\","
                                + "\"operation\":{\"call\":\"create\",\"clientToken\":\"enipam-1\",\"vswitch\":\"vsw-1\","
                                + "\"securityGroups\":[\"sg-2\",\"sg-1\"],\"tags\":{\"node\":\"i-1\"}}}");
            });
        }
    }

    @Test
    void aDiskThatRefusesFailsTheBegin() {
        FaultyDisk disk = new FaultyDisk();
        try (ResourceDb db = JournaledResourceDb.open(temp, ROOMY, disk)) {
            CloudJournal journal = new DbCloudJournal(() -> db);
            disk.failWrites = true;

            assertThatThrownBy(() -> begin(journal, entries().get(0))).hasCauseInstanceOf(IOException.class);
            assertThat(journal.open()).isEmpty();
        }
    }

    /** Refuses commits for a while, as a disk without room for the next journal file does. */
    private static final class ForgetfulDb extends ForwardingDb {
        private boolean full;

        ForgetfulDb(ResourceDb db) {
            super(db);
        }

        @Override
        public CompletionStage<Void> commit(List<Change> changes, Span span) {
            return full ? CompletableFuture.failedFuture(new IOException("no room")) : db.commit(changes);
        }
    }

    @Test
    void anEndTheDiskRefusedIsMadeUpForBeforeAnythingNewIsBegun() {
        List<Entry> entries = entries();
        try (ForgetfulDb db = new ForgetfulDb(JournaledResourceDb.open(temp, ROOMY))) {
            CloudJournal journal = new DbCloudJournal(() -> db);
            begin(journal, entries.get(3));
            db.full = true;
            journal.end(entries.get(3).id());
            assertThat(journal.open()).hasSize(1);
            db.full = false;

            begin(journal, entries.get(2));

            assertThat(journal.open()).containsExactly(entries.get(2));
        }
    }
}
