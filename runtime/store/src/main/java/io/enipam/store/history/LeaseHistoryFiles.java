package io.enipam.store.history;

import com.google.common.util.concurrent.Uninterruptibles;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.store.Disk;
import io.enipam.store.EndedLease;
import io.enipam.store.LeaseEnds;
import io.enipam.store.StoreException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of leases, in {@link HistoryFiles}.
 *
 * <p>What ends is put into a queue by the thread that applies commits, which does nothing else for it. A thread of the history's own
 * appends it a moment later to the tail. It does not force it: what a power loss takes is in the journal still. Before a checkpoint makes
 * the journal unnecessary, the tail is forced, and says up to which commit it is complete; a start takes from the journal what is behind
 * the last commit that the files name. Nothing here stops the database.
 *
 * <p>Thread-safe. The files' lock guards all but the queue.
 */
public final class LeaseHistoryFiles implements LeaseHistory, LeaseEnds, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseHistoryFiles.class);
    /** So many leases make a segment. */
    private static final int FULL = 8192;

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration FORCE = Duration.ofSeconds(10);

    private final HistoryFiles<LeaseRecord> files;
    private final Clock clock;
    private final ConcurrentLinkedQueue<List<EndedLease>> queue = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService thread = DaemonThreads.repeating(
            1, "lease-history", e -> LOG.error("the history of leases was not written; it is tried again", e));

    private LeaseHistoryFiles(HistoryFiles<LeaseRecord> files, Clock clock) {
        this.files = files;
        this.clock = clock;
    }

    /**
     * Reads what is there. Does not throw for the disk: see {@link #state}.
     *
     * @param directory exists
     * @param limits asked again and again
     */
    public static LeaseHistoryFiles open(Path directory, Supplier<HistoryLimits> limits, Clock clock, Disk disk) {
        return open(directory, limits, clock, disk, FULL);
    }

    /** @param full so many leases make a segment */
    static LeaseHistoryFiles open(Path directory, Supplier<HistoryLimits> limits, Clock clock, Disk disk, int full) {
        LeaseHistoryFiles history = new LeaseHistoryFiles(
                new HistoryFiles<>(directory, new LeaseFormat(), full, limits, clock, disk, () -> {}), clock);
        history.files.load();
        history.thread.scheduleWithFixedDelay(
                history::write, PAUSE.toMillis(), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        return history;
    }

    private void write() {
        drain();
        files.write(false);
    }

    @Override
    public void begin(Opened opened) {
        synchronized (files) {
            long made = files.made();
            if (made != 0 && made != opened.made()) {
                replaced(opened);
            } else if (made != 0 && files.seen() < opened.from()) {
                files.misses("what ended between the commits " + files.seen() + " and " + opened.from()
                        + " of the database was not written");
            }
            if (made != opened.made()) {
                files.made(opened.made());
            }
            take(opened.ended());
            files.seen(opened.from());
            write();
        }
    }

    /** The database is another one: what the former had, and this one has not, ended with the restore. */
    private void replaced(Opened opened) {
        Optional<Opened> former = opened.before().get().filter(before -> before.made() == files.made());
        if (former.isEmpty()) {
            files.misses("another database took the place of the one whose leases it had, which cannot be read");
            return;
        }
        take(former.get().ended());
        Set<Lease> stand = new HashSet<>(opened.leases().get());
        LeaseEnd restore =
                new LeaseEnd(LeaseEnd.Reason.RESTORE, "", "the restored database does not have it", clock.instant());
        former.get().leases().get().stream()
                .filter(lease -> stand.stream()
                        .noneMatch(other -> other.owner().equals(lease.owner())
                                && other.resource().id().equals(lease.resource().id())))
                .forEach(lease -> files.add(LeaseRecord.of(lease, Optional.of(restore))));
    }

    @Override
    public void ended(List<EndedLease> ends) {
        queue.add(ends);
    }

    @Override
    public void reached(long generation) {
        try {
            Future<?> done = thread.submit(() -> {
                synchronized (files) {
                    drain();
                    files.seen(generation);
                    files.write(true);
                }
            });
            done.get(FORCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
            LOG.warn("the history of leases was not forced before a checkpoint: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void drain() {
        synchronized (files) {
            List<EndedLease> ends = queue.poll();
            while (ends != null) {
                take(ends);
                ends = queue.poll();
            }
        }
    }

    private void take(List<EndedLease> ends) {
        for (EndedLease ended : ends) {
            if (ended.generation() > files.seen()) {
                try {
                    ended.read(clock.instant()).ifPresent(files::add);
                } catch (StoreException e) {
                    files.misses("the lease of " + ended.owner() + " was not readable: " + e.getMessage());
                }
            }
        }
        // not before: all leases of one commit have one number
        ends.forEach(ended -> files.seen(ended.generation()));
    }

    @Override
    public List<LeaseRecord> find(LeaseQuery query) {
        drain();
        List<String> probes = query.subject().map(LeaseFormat::probes).orElse(List.of());
        return files.find(new HistorySearch<>(probes, query.from(), query.to(), query::matches, query.limit()));
    }

    @Override
    public State state() {
        synchronized (files) {
            drain();
            return new State(files.records(), files.size(), files.oldest(), files.trouble());
        }
    }

    @Override
    public Instant completeSince() {
        return files.completeSince();
    }

    /** Writes what is left, when the database is closed. */
    @Override
    public void close() {
        thread.shutdown();
        if (!Uninterruptibles.awaitTerminationUninterruptibly(thread, FORCE.toSeconds(), TimeUnit.SECONDS)) {
            LOG.warn("the history of leases has not been written after {}", FORCE);
        }
        drain();
        files.close();
    }
}
