package io.enipam.store.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.store.Disk;
import io.enipam.store.ReservedSpace;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of what happened, in {@link HistoryFiles}, for those that read them after a restart.
 *
 * <p>Who adds a record puts it into a bounded queue and does nothing else for it; a thread appends what is there every
 * {@link #PAUSE}. A full queue drops records and counts them. A process that is killed loses what was added since the last turn of that
 * thread; a power loss takes what the kernel had not written yet, as a rule half a minute: nothing here is forced but full files and the
 * end of a stop, so that no commit of the database waits for it. The last free space of the disk is left to the database.
 *
 * <p>Thread-safe.
 */
public final class RecordLog<T> implements AutoCloseable {
    /** At most so long, and the time of a write, is what was added in memory alone. */
    public static final Duration PAUSE = Duration.ofMillis(500);

    /** So many records wait at most for the thread. */
    public static final int QUEUE = 8192;

    private static final Logger LOG = LoggerFactory.getLogger(RecordLog.class);

    private final HistoryFiles<T> files;
    private final String name;
    private final ConcurrentLinkedQueue<Supplier<T>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();

    @GuardedBy("files")
    private boolean closed;

    private RecordLog(HistoryFiles<T> files, String name) {
        this.files = files;
        this.name = name;
    }

    /**
     * Reads what is there. Does not throw for the disk: see {@link #state}.
     *
     * @param directory exists, and has nothing else
     * @param full so many records make a full file; up to twice as many may be in memory
     * @param limits asked again and again
     * @param thread writes
     */
    public static <T> RecordLog<T> open(
            Path directory,
            RecordFormat<T> format,
            int full,
            Supplier<HistoryLimits> limits,
            Clock clock,
            Disk disk,
            ScheduledExecutorService thread) {
        HistoryFiles<T> files =
                new HistoryFiles<>(directory, format, full, limits, clock, disk, () -> ReservedSpace.leave(directory));
        files.load();
        if (files.damaged() > 0) {
            files.misses("the last " + files.damaged() + " bytes were damaged, and are cut off");
        }
        if (files.made() == 0) {
            files.made(new SecureRandom().nextLong(1, Long.MAX_VALUE));
        }
        RecordLog<T> log = new RecordLog<>(files, format.name());
        thread.scheduleWithFixedDelay(log::turn, PAUSE.toMillis(), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        return log;
    }

    /** Which run of numbers the records are of: the same for as long as the files are. */
    public long identity() {
        return files.made();
    }

    /** Adds a record; never blocks, never throws. It is asked for by the thread that writes, or by one that reads. */
    public void add(Supplier<T> record) {
        if (waiting.get() >= QUEUE) {
            dropped.increment();
            return;
        }
        waiting.incrementAndGet();
        queue.add(record);
    }

    /** Writes what was added. */
    void turn() {
        synchronized (files) {
            if (!closed) {
                drain();
                files.write(false);
            }
        }
    }

    private void drain() {
        synchronized (files) {
            Supplier<T> next = queue.poll();
            while (next != null) {
                waiting.decrementAndGet();
                try {
                    files.add(next.get());
                } catch (RuntimeException e) {
                    dropped.increment();
                    LOG.warn("one of the {} is not kept; this is a bug of enipam", name, e);
                }
                next = queue.poll();
            }
        }
    }

    /** What matches, what ended last first; reads files. What cannot be read is passed over, and said by {@link #state}. */
    public List<T> find(HistorySearch<T> search) {
        drain();
        return files.find(search);
    }

    /** The last records, at least as many as asked for if there are, in the order of the files; reads files. */
    public List<T> latest(int count) {
        drain();
        return files.latest(count);
    }

    public State state() {
        synchronized (files) {
            drain();
            return new State(
                    files.records(), files.size(), files.oldest(), dropped.sum() + files.dropped(), files.trouble());
        }
    }

    /**
     * @param records how many are kept
     * @param bytes on disk
     * @param oldest when the first of them began; empty if there is none
     * @param dropped since the start, as the queue was full or the disk refused them
     * @param trouble what is missing, or cannot be written, one line for an operator; empty if all is well
     */
    public record State(long records, long bytes, Optional<Instant> oldest, long dropped, Optional<String> trouble) {}

    /** Writes what is left and forces it; what is added later is lost. */
    @Override
    public void close() {
        synchronized (files) {
            drain();
            files.close();
            closed = true;
        }
    }
}
