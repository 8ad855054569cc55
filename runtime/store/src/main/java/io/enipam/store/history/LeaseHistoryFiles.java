package io.enipam.store.history;

import com.google.common.util.concurrent.Uninterruptibles;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.store.Disk;
import io.enipam.store.Disk.DiskFile;
import io.enipam.store.EndedLease;
import io.enipam.store.FrameHeader;
import io.enipam.store.LeaseEnds;
import io.enipam.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of leases in a directory of files.
 *
 * <p>What ends is put into a queue by the thread that applies commits, which does nothing else for it. A thread of the history's own
 * appends it a moment later to the tail, a file of frames in the order of the commits. It does not force it: what a power loss takes is
 * in the journal still. Before a checkpoint makes the journal unnecessary, the tail is forced, and says up to which commit it is
 * complete; a start takes from the journal what is behind the last commit that the files name. A full tail becomes a
 * {@link HistorySegment}: that is written under another name, forced and renamed; a tail whose number a segment has is the rest of a crash
 * and is removed. Segments are deleted whole, the oldest first.
 *
 * <p>Nothing here stops the database. What the disk refuses is kept in memory, within bounds, and tried again; what is unreadable is
 * renamed to {@code *.damaged}. Both are said by {@link #state}.
 *
 * <p>Thread-safe. {@code this} guards all but the queue; a search reads segments outside of it.
 */
public final class LeaseHistoryFiles implements LeaseHistory, LeaseEnds, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseHistoryFiles.class);
    private static final Pattern NAME = Pattern.compile("(leases|tail)-(\\d{10})\\.(?:seg|log)");
    /** So many leases make a segment. */
    private static final int FULL = 8192;
    /** So many are kept in memory while the disk refuses them. */
    private static final int MOST_WAITING = 4 * FULL;

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration FORCE = Duration.ofSeconds(10);
    private static final int HEADER = 12;
    private static final int FORMAT = 1;

    private final Disk disk;
    private final Path directory;
    private final Supplier<Limits> limits;
    private final Clock clock;
    private final ConcurrentLinkedQueue<List<EndedLease>> queue = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("lease-history"));

    private final TreeMap<Long, HistorySegment> segments = new TreeMap<>();
    private final List<LeaseRecord> tail = new ArrayList<>();
    private Optional<DiskFile> file = Optional.empty();
    private long number = 1;
    /** How many of the tail are in the file. */
    private int written;
    /** Where the next frame goes. */
    private long end;

    private long made;
    /** The last commit that is in the history, and in its files. */
    private long seen;

    private long filed;
    private boolean loaded;
    private Optional<String> trouble = Optional.empty();
    private Optional<String> missing = Optional.empty();

    /**
     * @param age a lease that ended longer ago is forgotten
     * @param bytes the files together are at most so large, but for the tail
     */
    public record Limits(Duration age, long bytes) {}

    private final int full;

    private LeaseHistoryFiles(Path directory, Supplier<Limits> limits, Clock clock, Disk disk, int full) {
        this.full = full;
        this.directory = directory;
        this.limits = limits;
        this.clock = clock;
        this.disk = disk;
    }

    /**
     * Reads what is there. Does not throw for the disk: see {@link #state}.
     *
     * @param directory exists
     * @param limits asked again and again
     */
    public static LeaseHistoryFiles open(Path directory, Supplier<Limits> limits, Clock clock, Disk disk) {
        return open(directory, limits, clock, disk, FULL);
    }

    /** @param full so many leases make a segment */
    static LeaseHistoryFiles open(Path directory, Supplier<Limits> limits, Clock clock, Disk disk, int full) {
        LeaseHistoryFiles history = new LeaseHistoryFiles(directory, limits, clock, disk, full);
        history.load();
        history.thread.scheduleWithFixedDelay(
                history::writeOrSay, PAUSE.toMillis(), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        return history;
    }

    private synchronized void load() {
        try {
            TreeMap<Long, String> tails = new TreeMap<>();
            for (String name : disk.list(directory)) {
                Matcher known = NAME.matcher(name);
                if (!known.matches()) {
                    if (name.endsWith(".tmp")) {
                        disk.delete(directory.resolve(name));
                    }
                } else if (known.group(1).equals("tail")) {
                    tails.put(Long.valueOf(known.group(2)), name);
                } else {
                    segment(Long.parseLong(known.group(2)), directory.resolve(name));
                }
            }
            if (!segments.isEmpty()) {
                number = segments.lastKey() + 1;
                made = segments.lastEntry().getValue().made();
                seen = segments.lastEntry().getValue().generation();
            }
            for (var found : tails.entrySet()) {
                Path path = directory.resolve(found.getValue());
                if (found.getKey() < number) {
                    disk.delete(path);
                } else {
                    number = found.getKey();
                    tail(path);
                }
            }
            filed = seen;
            loaded = true;
        } catch (IOException e) {
            trouble = Optional.of("the history of leases in " + directory
                    + " cannot be read, and is not written until enipamd starts again: " + e.getMessage());
            LOG.warn("{}", trouble.get());
        }
    }

    private void segment(long at, Path path) throws IOException {
        try {
            segments.put(at, HistorySegment.open(disk, path));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            setAside(path, e);
        }
    }

    /** Reads frames until one is not whole: that one, and what follows, was never relied on. */
    private void tail(Path path) throws IOException {
        byte[] image = disk.read(path);
        Optional<FrameHeader> header = FrameHeader.read(image, 0).filter(frame -> frame.payloadIntact(image, 0));
        if (header.isEmpty() || header.get().length() != HEADER) {
            setAside(path, new IOException("its first frame is damaged"));
            return;
        }
        ByteBuffer first = ByteBuffer.wrap(header.get().payload(image, 0));
        if (first.getInt() != FORMAT) {
            setAside(path, new IOException("it is of a format that this program does not know"));
            return;
        }
        made = first.getLong();
        int offset = header.get().size();
        seen = header.get().generation();
        Optional<FrameHeader> frame = FrameHeader.read(image, offset);
        while (frame.isPresent() && frame.get().payloadIntact(image, offset)) {
            try {
                tail.addAll(LeaseBlock.decode(frame.get().payload(image, offset)));
            } catch (IOException e) {
                setAside(path, e);
                return;
            }
            seen = frame.get().generation();
            offset += frame.get().size();
            frame = FrameHeader.read(image, offset);
        }
    }

    private void setAside(Path path, Exception why) throws IOException {
        Path aside = path.resolveSibling(path.getFileName() + ".damaged");
        disk.rename(path, aside);
        misses(aside + " could not be read and was put aside: " + why.getMessage());
    }

    private void misses(String what) {
        missing = Optional.of(what);
        LOG.warn("the history of leases is not complete: {}", what);
    }

    @Override
    public synchronized void begin(Opened opened) {
        if (made != 0 && made != opened.made()) {
            replaced(opened);
        } else if (made != 0 && seen < opened.from()) {
            misses("what ended between the commits " + seen + " and " + opened.from()
                    + " of the database was not written");
        }
        if (made != opened.made()) {
            written = 0;
            close(file);
            file = Optional.empty();
            made = opened.made();
            seen = 0;
        }
        take(opened.ended());
        seen = Math.max(seen, opened.from());
        writeOrSay();
    }

    /** The database is another one: what the former had, and this one has not, ended with the restore. */
    private void replaced(Opened opened) {
        Optional<Opened> former = opened.before().get().filter(before -> before.made() == made);
        if (former.isEmpty()) {
            misses("another database took the place of the one whose leases it had, which cannot be read");
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
                .forEach(lease -> tail.add(LeaseRecord.of(lease, Optional.of(restore))));
    }

    @Override
    public void ended(List<EndedLease> ends) {
        queue.add(ends);
    }

    @Override
    public void reached(long generation) {
        try {
            Future<?> done = thread.submit(() -> {
                synchronized (this) {
                    drain();
                    seen = Math.max(seen, generation);
                    writeOrSay(true);
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
        List<EndedLease> ends = queue.poll();
        while (ends != null) {
            take(ends);
            ends = queue.poll();
        }
    }

    private void take(List<EndedLease> ends) {
        for (EndedLease ended : ends) {
            if (ended.generation() > seen) {
                try {
                    ended.read(clock.instant()).ifPresent(tail::add);
                } catch (StoreException e) {
                    misses("the lease of " + ended.owner() + " was not readable: " + e.getMessage());
                }
            }
        }
        // not before: all leases of one commit have one number
        ends.forEach(ended -> seen = Math.max(seen, ended.generation()));
    }

    private synchronized void writeOrSay() {
        drain();
        writeOrSay(false);
    }

    private void writeOrSay(boolean force) {
        if (!loaded) { // what is there must not be overwritten
            tail.clear();
            return;
        }
        try {
            write(force);
            if (tail.size() >= full) {
                seal();
            }
            prune();
            if (trouble.isPresent()) {
                LOG.info("the history of leases is written again");
            }
            trouble = Optional.empty();
        } catch (IOException | RuntimeException e) {
            close(file);
            file = Optional.empty(); // it is not known what is in it: the next one is written whole
            String cause = "the history of leases in " + directory + " cannot be written: " + e.getMessage();
            if (trouble.isEmpty()) {
                LOG.warn("{}; this is tried again all the time", cause);
            }
            trouble = Optional.of(cause);
            int over = tail.size() - MOST_WAITING;
            if (over > 0) {
                tail.subList(0, over).clear();
                misses(over + " leases and more ended while it could not be written");
            }
        }
    }

    private void write(boolean force) throws IOException {
        boolean behind = written < tail.size() || force && filed < seen;
        if (file.isEmpty() ? behind || !tail.isEmpty() : behind) {
            if (file.isEmpty()) {
                begin();
            } else {
                append(tail.subList(written, tail.size()));
            }
            written = tail.size();
            filed = seen;
        }
        if (force && file.isPresent()) {
            file.get().force();
        }
    }

    /** Writes the tail anew, under another name, and goes on in it. */
    private void begin() throws IOException {
        Path path = directory.resolve("tail-%010d.log".formatted(number));
        Path unfinished = path.resolveSibling(path.getFileName() + ".tmp");
        disk.delete(unfinished);
        DiskFile begun = disk.create(unfinished);
        byte[] header = ByteBuffer.allocate(HEADER).putInt(FORMAT).putLong(made).array();
        try {
            end = 0;
            // the header names no commit that stands behind it
            write(begun, header, tail.isEmpty() ? seen : 0);
            if (!tail.isEmpty()) {
                write(begun, LeaseBlock.encode(tail), seen);
            }
            begun.force();
        } finally {
            begun.close();
        }
        disk.renameDurably(unfinished, path);
        file = Optional.of(disk.open(path));
    }

    private void append(List<LeaseRecord> leases) throws IOException {
        write(file.orElseThrow(), LeaseBlock.encode(leases), seen);
    }

    private void write(DiskFile to, byte[] payload, long generation) throws IOException {
        FrameHeader header = FrameHeader.of(payload, generation, generation);
        ByteBuffer frame = ByteBuffer.allocate(header.size());
        header.write(payload, frame);
        to.write(frame.flip(), end);
        end += header.size();
    }

    private void seal() throws IOException {
        Path path = directory.resolve("leases-%010d.seg".formatted(number));
        Path unfinished = path.resolveSibling(path.getFileName() + ".tmp");
        disk.delete(unfinished);
        try (DiskFile begun = disk.create(unfinished)) {
            begun.write(ByteBuffer.wrap(HistorySegment.image(tail, seen, made)), 0);
            begun.force();
        }
        disk.renameDurably(unfinished, path);
        segments.put(number, HistorySegment.open(disk, path));
        close(file);
        file = Optional.empty();
        disk.delete(directory.resolve("tail-%010d.log".formatted(number)));
        number++;
        tail.clear();
        written = 0;
        filed = seen;
    }

    private void prune() throws IOException {
        Limits now = limits.get();
        Instant oldest = clock.instant().minus(now.age());
        while (!segments.isEmpty()
                && (bytes() > now.bytes()
                        || segments.firstEntry().getValue().span().lastUntil().isBefore(oldest))) {
            disk.delete(segments.firstEntry().getValue().path());
            segments.pollFirstEntry();
        }
    }

    private long bytes() {
        return segments.values().stream().mapToLong(HistorySegment::bytes).sum();
    }

    @Override
    public List<LeaseRecord> find(LeaseQuery query) {
        List<HistorySegment> files;
        List<LeaseRecord> found;
        Instant oldest = clock.instant().minus(limits.get().age());
        synchronized (this) {
            drain();
            files = List.copyOf(segments.descendingMap().values());
            found = new ArrayList<>(tail);
        }
        found.removeIf(lease -> !query.matches(lease));
        for (HistorySegment segment : files) {
            if (found.size() >= query.limit()) {
                break; // what is in older files ended before
            }
            search(segment, query, found);
        }
        return found.stream()
                .filter(lease -> !lease.end().orElseThrow().at().isBefore(oldest))
                .sorted(Comparator.comparing(
                                (LeaseRecord lease) -> lease.end().orElseThrow().at())
                        .reversed())
                .limit(query.limit())
                .toList();
    }

    private void search(HistorySegment segment, LeaseQuery query, List<LeaseRecord> found) {
        try {
            for (int block : segment.candidates(disk, query)) {
                try {
                    segment.read(disk, block).stream().filter(query::matches).forEach(found::add);
                } catch (NoSuchFileException e) {
                    throw e;
                } catch (IOException e) {
                    unreadable(e);
                }
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} was old, and is deleted meanwhile", segment.path());
        } catch (IOException e) {
            unreadable(e);
        }
    }

    private synchronized void unreadable(IOException e) {
        misses("a part of it cannot be read: " + e.getMessage());
    }

    @Override
    public synchronized State state() {
        drain();
        long leases = tail.size()
                + segments.values().stream().mapToLong(HistorySegment::leases).sum();
        Optional<Instant> oldest = segments.isEmpty()
                ? tail.stream().map(LeaseRecord::since).min(Comparator.naturalOrder())
                : segments.values().stream()
                        .map(segment -> segment.span().firstSince())
                        .min(Comparator.naturalOrder());
        return new State(leases, bytes() + end, oldest, trouble.or(() -> missing));
    }

    /** Writes what is left, when the database is closed. */
    @Override
    public void close() {
        thread.shutdown();
        if (!Uninterruptibles.awaitTerminationUninterruptibly(thread, FORCE.toSeconds(), TimeUnit.SECONDS)) {
            LOG.warn("the history of leases has not been written after {}", FORCE);
        }
        synchronized (this) {
            drain();
            writeOrSay(true);
            close(file);
            file = Optional.empty();
        }
    }

    private static void close(Optional<DiskFile> file) {
        try {
            if (file.isPresent()) {
                file.get().close();
            }
        } catch (IOException e) {
            LOG.debug("a file of the history of leases cannot be closed", e);
        }
    }
}
