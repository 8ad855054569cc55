package io.enipam.store;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.store.CommitQueue.PendingCommit;
import io.enipam.store.Segment.SegmentHeader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends groups of commits: one write and one {@code fdatasync} a group, a new file when the present one is nearly
 * full. Used by one thread at a time, but for {@link #sound}.
 *
 * <p>After a write or force that failed it is not known what is on the disk: the kernel may have dropped the dirty
 * pages, and reports that once. Trying again in the same place proves nothing. The journal therefore goes on in a new
 * file whose header carries the next epoch and, as its base, the last acknowledged commit; what older files have above
 * that base is void from the moment the new file has its name. Only when that file is written, forced, renamed, and its
 * name forced, is anything acknowledged again. So a commit that was reported as failed is never found once a later one
 * was acknowledged; until then it may be found after a crash, although what can be erased of it is erased.
 *
 * <p>A file is left when an eighth of it is free. If the next one cannot be made, the disk being full, that eighth
 * still takes commits, so that releases still work.
 *
 * <p>Every group is written under a lock whose file still has its name, and forced on a file that still has its name;
 * else it is refused, and {@link FileRecreation} begins the files anew. One look at a name costs less than a hundredth
 * of a force.
 *
 * <p>New files that could not be made are tried again with the next commit or {@link #heal}, in the pace of
 * {@link HealingBackoff}.
 */
final class Journal implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final int RESERVE = 8;

    private final Disk disk;
    private final StoreDirectory directory;
    private final CommitWatermark highMark;
    private final FileRecreation recreation;
    private final int segmentBytes;
    private final HealingBackoff pace = new HealingBackoff(System::nanoTime);
    private final long made;
    private Segment segment;
    private long epoch;
    /** The highest that a file was begun with, whatever became of it. */
    private long lastEpoch;

    private long generation;
    private ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    /** Why it is not known what stands behind the last acknowledged commit. */
    private Optional<IOException> doubt = Optional.empty();
    /** Why there is no new file although the present one is nearly full. */
    private Optional<IOException> shortage = Optional.empty();
    /** Why nothing is taken any more, ever. */
    private Optional<IOException> end = Optional.empty();

    private volatile boolean sound = true;

    /**
     * @param recreation knows the files, and begins them anew when they were removed
     * @param made when the database was made, see {@link SegmentHeader}
     * @param generation the last durable commit
     */
    Journal(FileRecreation recreation, int segmentBytes, long made, Segment segment, long epoch, long generation) {
        this.recreation = recreation;
        this.disk = recreation.disk();
        this.directory = recreation.directory();
        this.highMark = new CommitWatermark(disk, directory);
        this.segmentBytes = segmentBytes;
        this.made = made;
        this.segment = segment;
        this.epoch = epoch;
        this.lastEpoch = epoch;
        this.generation = generation;
    }

    long generation() {
        return generation;
    }

    /** The file that the next commit goes to, if it has space. */
    Path file() {
        return segment.path();
    }

    /** Whether the present file is known to end with the last durable commit. Thread-safe. */
    boolean sound() {
        return sound;
    }

    /** Whether the present file must suffice, so that a large commit may fail and a small one not. */
    boolean isShort() {
        return shortage.isPresent() && doubt.isEmpty();
    }

    /** Why commits fail, or are about to; empty if all is well. */
    Optional<String> trouble() {
        if (end.isPresent()) {
            return end.map(Throwable::getMessage);
        }
        if (doubt.isPresent()) {
            return doubt.map(cause -> "the database in " + directory.path() + " cannot be written: " + words(cause));
        }
        return shortage.map(cause -> noNewFile(cause) + "; the present one takes another " + segment.room() + " bytes");
    }

    /** Nanoseconds until {@link #heal} has something to do; {@link Long#MAX_VALUE} if it has nothing. */
    long untilHealing() {
        return end.isPresent() ? Long.MAX_VALUE : pace.untilDue();
    }

    /** Provides space for a group, in a new file if need be; returns whether one was begun. Throws if it must not be appended. */
    boolean prepare(List<PendingCommit> group) throws IOException {
        if (end.isPresent()) {
            throw new IOException(end.get().getMessage(), end.get());
        }
        int size = size(group);
        if (doubt.isEmpty()) {
            requireLock();
        } else {
            if (!pace.isDue()) {
                throw new IOException(trouble().orElseThrow() + "; this is tried again all the time", doubt.get());
            }
            begin(nextEpoch(), size);
            return true;
        }
        boolean roomy = segment.hasRoomFor((long) size + segmentBytes / RESERVE)
                || (segment.isEmpty() && segment.hasRoomFor(size));
        return !roomy && rotate(size);
    }

    /**
     * Tries again what the disk refused, if it is time. Returns whether a file was begun; does not throw for the disk.
     *
     * @param last whether there is no later time
     */
    boolean heal(boolean last) {
        if (end.isPresent() || !(pace.isDue() || last && doubt.isPresent())) {
            return false;
        }
        if (doubt.isEmpty() && segment.isEmpty()) { // what had no room in it was too large for any file
            shortage = Optional.empty();
            pace.healed();
            return false;
        }
        try {
            begin(doubt.isPresent() ? nextEpoch() : epoch, 0);
            return true;
        } catch (IOException e) {
            LOG.debug("the journal is not healed yet", e);
            return false;
        }
    }

    private boolean rotate(int size) throws IOException {
        boolean fits = segment.hasRoomFor(size);
        if (shortage.isPresent() && !pace.isDue()) {
            if (fits) {
                return false;
            }
            throw new IOException(noNewFile(shortage.get()) + "; this is tried again all the time", shortage.get());
        }
        try {
            // a file that is still empty has the name that the next one of its epoch would get
            begin(segment.isEmpty() ? nextEpoch() : epoch, size);
            return true;
        } catch (IOException e) {
            if (doubt.isPresent() || !fits) {
                throw e;
            }
            return false;
        }
    }

    private long nextEpoch() {
        return ++lastEpoch;
    }

    private void begin(long next, int size) throws IOException {
        int bytes = Math.max(segmentBytes, Math.addExact(SegmentHeader.BYTES, size));
        SegmentHeader header = new SegmentHeader(bytes, generation, next, made);
        Segment begun;
        try {
            begun = recreation.isNeeded(segment) ? recreation.begin(header) : createdBeside(segment, header);
        } catch (IOException e) {
            pace.failed();
            notBegun(next, e);
            throw new IOException(noNewFile(e) + "; this is tried again all the time", e);
        }
        leave();
        highMark.reopen();
        segment = begun;
        epoch = next;
        if (doubt.isPresent() || shortage.isPresent()) {
            LOG.info("the journal goes on after commit {} in {}", generation, segment.path());
        }
        doubt = Optional.empty();
        shortage = Optional.empty();
        sound = true;
        pace.healed();
    }

    /** The present file may lose its name at any moment; what follows on it must not be where it is not. */
    private Segment createdBeside(Segment present, SegmentHeader header) throws IOException {
        Segment created = Segment.create(disk, directory, header);
        if (recreation.isNeeded(present)) {
            created.close();
            throw removed();
        }
        return created;
    }

    private IOException removed() {
        return new IOException("journal file " + segment.path().getFileName()
                + ", the lock or their directory was removed or replaced while the database was in use");
    }

    /** Nothing is written where another process may write: it can lock a new file of that name, and open the database. */
    private void requireLock() throws IOException {
        try {
            if (recreation.isLocked()) {
                return;
            }
            distrust(removed());
        } catch (IOException e) {
            distrust(e);
        }
        throw new IOException(
                trouble().orElseThrow()
                        + "; nothing is acknowledged until that works again, which is tried all the time",
                doubt.orElseThrow());
    }

    /** Makes sure that the files are where they were, so that {@link #heal} begins them anew if they are not. */
    void look() {
        if (end.isPresent() || doubt.isPresent()) {
            return;
        }
        try {
            if (recreation.isNeeded(segment)) {
                distrust(removed());
            }
        } catch (IOException e) {
            distrust(e);
        }
    }

    private void distrust(IOException cause) {
        doubt = Optional.of(cause);
        sound = false;
        pace.failureBegan();
    }

    /**
     * The new file may have got its name. The next commit may still fit into the present file, and then a file that
     * goes on from before that commit would void it, or look like damage.
     */
    private void notBegun(long next, IOException cause) {
        if (doubt.isPresent()) {
            doubt = Optional.of(cause);
            remove(next, cause); // for the sake of the room alone: the present file gets no more commits
            return;
        }
        shortage = Optional.of(cause);
        if (!remove(next, cause)) {
            doubt = Optional.of(cause);
            sound = false;
        }
    }

    private boolean remove(long next, IOException cause) {
        try {
            disk.delete(directory.segment(generation, next));
            disk.forceDirectory(directory.path());
            return true;
        } catch (IOException e) {
            cause.addSuppressed(e);
            return false;
        }
    }

    /** Every commit of the present file is durable in it, so whatever its end says does no harm. */
    private void leave() {
        try {
            boolean unused = segment.isEmpty() && segment.isLinked();
            segment.close();
            if (unused) {
                disk.delete(segment.path());
            }
        } catch (IOException e) {
            LOG.warn("cannot close {}: {}; all its acknowledged commits are on disk", segment.path(), e.toString());
        }
    }

    void append(List<PendingCommit> group) throws IOException {
        int size = size(group);
        if (buffer.capacity() < size) {
            buffer = ByteBuffer.allocateDirect(size);
        }
        buffer.clear();
        long next = generation;
        for (PendingCommit commit : group) {
            next++;
            FrameHeader.of(commit.payload(), next, generation).write(commit.payload(), buffer);
        }
        try {
            segment.append(buffer.flip());
            if (!segment.isLinked()) {
                throw removed();
            }
        } catch (IOException e) {
            distrust(e);
            eraseAfter(e, size);
            throw new IOException(
                    "cannot write to " + segment.path() + ": " + words(e)
                            + "; nothing is acknowledged until that works again, which is tried all the time",
                    e);
        }
        generation = next;
        highMark.raise(generation);
        pace.isHealthy();
    }

    /** Takes no more commits, for a reason outside the journal. */
    void refuse(IOException reason) {
        end = end.or(() -> Optional.of(reason));
        sound = false;
    }

    private void eraseAfter(IOException cause, int size) {
        try {
            segment.erase(size);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private String noNewFile(IOException cause) {
        return "cannot make a new journal file in " + directory.path() + ": " + words(cause);
    }

    private static String words(IOException cause) {
        return String.valueOf(cause.getMessage());
    }

    private static int size(List<PendingCommit> group) {
        int size = 0;
        for (PendingCommit commit : group) {
            size = Math.addExact(size, commit.frameBytes());
        }
        return size;
    }

    @Override
    public void close() throws IOException {
        try (highMark) {
            segment.close();
        }
    }

    /**
     * When to try again what the disk refused: a first time at once, then after pauses that double, since each try may
     * write a whole journal file before it fails. Used by one thread at a time.
     */
    static final class HealingBackoff {
        private static final Backoff PAUSES = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(5));

        private final LongSupplier nanoTime;
        private int failures;
        private boolean tried;
        private long due;
        private boolean ill;

        HealingBackoff(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
        }

        /** Something was refused: to be tried again at once, unless that was the last thing tried before, too. */
        void failureBegan() {
            if (!ill) {
                ill = true;
                due = nanoTime.getAsLong();
                if (tried) {
                    putOff();
                }
            }
        }

        void failed() {
            ill = true;
            putOff();
        }

        private void putOff() {
            tried = true;
            failures++;
            due = nanoTime.getAsLong() + PAUSES.pause(failures).toNanos();
        }

        /** A try succeeded; what comes of it is still to be seen. */
        void healed() {
            ill = false;
            tried = true;
        }

        /** Something was made durable. */
        void isHealthy() {
            if (!ill) {
                tried = false;
                failures = 0;
            }
        }

        /** Nanoseconds until the next try, 0 or less if it is due; {@link Long#MAX_VALUE} if there is nothing to try. */
        long untilDue() {
            return ill ? due - nanoTime.getAsLong() : Long.MAX_VALUE;
        }

        boolean isDue() {
            return untilDue() <= 0;
        }
    }
}
