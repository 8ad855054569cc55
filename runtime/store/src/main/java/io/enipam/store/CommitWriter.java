package io.enipam.store;

import com.google.common.util.concurrent.Uninterruptibles;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.port.Span;
import io.enipam.store.CommitQueue.PendingCommit;
import io.enipam.store.Segment.SegmentHeader;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes. It takes all commits that wait, makes them durable with one force, applies them to the
 * live view, and only then has them acknowledged: a commit that is seen, in the view or by its completion, is one that
 * a crash cannot take back. While there is nothing to write it wakes now and then, to have the journal look after its
 * files, and healed.
 *
 * <p>Acknowledgements run on a second thread, in the order of the commits. A continuation of a caller's may therefore
 * be slow, or commit again, and delays the acknowledgements behind it but never the disk.
 */
final class CommitWriter {
    private static final Logger LOG = LoggerFactory.getLogger(CommitWriter.class);
    private static final int GROUP_BYTES = 1 << 20;
    /** How often an idle database makes sure that its files are where they were. */
    private static final long LOOK_NANOS = Duration.ofSeconds(2).toNanos();

    private final CommitQueue queue;
    private final Journal journal;
    private final LiveView view;
    private final Checkpointer checkpoints;
    private final StoreHealth health;
    private final int groupBytes;
    // daemon threads, since commits that they have not acknowledged may be lost
    private final ExecutorService writer = Executors.newSingleThreadExecutor(DaemonThreads.named("store-writer"));
    private final ExecutorService acknowledger = Executors.newSingleThreadExecutor(DaemonThreads.named("store-ack"));

    CommitWriter(
            CommitQueue queue,
            Journal journal,
            LiveView view,
            Checkpointer checkpoints,
            StoreHealth health,
            int journalBytes) {
        this.queue = queue;
        this.journal = journal;
        this.view = view;
        this.checkpoints = checkpoints;
        this.health = health;
        this.groupBytes = Math.min(GROUP_BYTES, journalBytes - SegmentHeader.BYTES);
        writer.execute(this::run);
    }

    /** Writes what the queue, which the caller has closed, still holds; then waits for the acknowledgements. */
    void close() {
        writer.shutdown();
        while (!Uninterruptibles.awaitTerminationUninterruptibly(writer, 1, TimeUnit.MINUTES)) {
            LOG.warn("still waiting for the disk to take the last commits");
        }
        acknowledger.shutdown();
        if (!Thread.currentThread().getName().equals("store-ack")
                && !Uninterruptibles.awaitTerminationUninterruptibly(acknowledger, 10, TimeUnit.SECONDS)) {
            LOG.warn("a continuation of a commit has not ended after 10 s; closing without it");
        }
    }

    private void run() {
        Optional<List<PendingCommit>> taken = take();
        while (taken.isPresent()) {
            List<PendingCommit> group = taken.get();
            if (group.isEmpty()) {
                lookAndHeal(false);
            } else if (journal.isShort()) {
                // none fails because of the space that another one needs
                group.forEach(commit -> settle(List.of(commit), write(List.of(commit))));
            } else {
                settle(group, write(group));
            }
            taken = take();
        }
        lookAndHeal(true); // a database whose files were removed a moment ago is written anew before it closes
    }

    private Optional<List<PendingCommit>> take() {
        return queue.take(groupBytes, Math.min(journal.untilHealing(), LOOK_NANOS));
    }

    /** A caller whose commit failed finds the database in trouble already. */
    private void settle(List<PendingCommit> group, Optional<IOException> failure) {
        tellHealth();
        acknowledger.execute(() -> group.forEach(commit -> settle(commit, failure)));
    }

    private void tellHealth() {
        if (health.changed(journal.trouble())) {
            Optional<DbTrouble> state = health.trouble();
            acknowledger.execute(() -> health.tell(state));
        }
    }

    private void lookAndHeal(boolean last) {
        journal.look();
        tellHealth();
        try {
            if (journal.heal(last)) {
                goOn();
            }
        } catch (RuntimeException | Error e) {
            stop(e);
        }
        tellHealth();
    }

    private Optional<IOException> write(List<PendingCommit> group) {
        List<Span> told =
                group.stream().map(commit -> commit.forcing(group.size())).toList();
        Optional<IOException> failure = writeUntold(group);
        failure.ifPresentOrElse(why -> told.forEach(span -> Stages.fail(span, why)), () -> told.forEach(Span::done));
        return failure;
    }

    private Optional<IOException> writeUntold(List<PendingCommit> group) {
        try {
            if (journal.prepare(group)) {
                goOn();
            }
            journal.append(group);
            view.apply(group.stream().map(PendingCommit::mutations).toList(), journal.generation());
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        } catch (RuntimeException | Error e) {
            return Optional.of(stop(e));
        }
    }

    private void goOn() {
        view.continuesIn(journal.file());
        checkpoints.begin(view);
    }

    /** After a bug, or with no memory left, the view may be behind the journal: nothing is acknowledged after that. */
    private IOException stop(Throwable cause) {
        LOG.error("the database stops taking commits", cause);
        IOException failure = new IOException("the database stopped: " + cause + "; restart enipamd", cause);
        journal.refuse(failure);
        return failure;
    }

    private static void settle(PendingCommit commit, Optional<IOException> failure) {
        failure.ifPresentOrElse(
                commit.done()::completeExceptionally, () -> commit.done().complete(null));
    }

    /**
     * Whether commits work, and the watchers of that. Thread-safe; one thread notes changes and another one reports them in
     * their order, so that a watcher also gets trouble that lasted for a moment, and last the present state. {@code this}
     * guards the watchers.
     */
    static final class StoreHealth {
        private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);

        private final List<Consumer<Optional<DbTrouble>>> watchers = new ArrayList<>(); // by this
        private final Clock clock;
        private volatile Optional<DbTrouble> trouble = Optional.empty();

        StoreHealth(Clock clock) {
            this.clock = clock;
        }

        Optional<DbTrouble> trouble() {
            return trouble;
        }

        /** Adds a watcher, and reports present trouble to it. */
        synchronized void watch(Consumer<Optional<DbTrouble>> watcher) {
            watchers.add(watcher);
            if (trouble.isPresent()) {
                tell(watcher, trouble);
            }
        }

        /** Notes why commits fail now, if they do. Returns whether trouble came or went, and the watchers have to know. */
        boolean changed(Optional<String> cause) {
            Optional<DbTrouble> before = trouble;
            trouble = cause.map(
                    words -> new DbTrouble(words, before.map(DbTrouble::since).orElseGet(clock::instant)));
            return before.isPresent() != cause.isPresent();
        }

        /** Reports the state after a change to the watchers, in the order of the changes. */
        synchronized void tell(Optional<DbTrouble> state) {
            watchers.forEach(watcher -> tell(watcher, state));
        }

        private static void tell(Consumer<Optional<DbTrouble>> watcher, Optional<DbTrouble> state) {
            try {
                watcher.accept(state);
            } catch (RuntimeException e) {
                LOG.error("a watcher of the database threw", e);
            }
        }
    }
}
