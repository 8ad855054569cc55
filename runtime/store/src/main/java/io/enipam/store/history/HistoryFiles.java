package io.enipam.store.history;

import io.enipam.store.Disk;
import io.enipam.store.Disk.DiskFile;
import io.enipam.store.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of one sort in a directory of files.
 *
 * <p>A record is appended to the tail, a file of frames in the order in which they came. A full tail becomes a {@link HistorySegment}: that
 * is written under another name, forced and renamed; a tail whose number a segment has is the rest of a crash and is removed. Segments are
 * deleted whole, the oldest first. What was appended survives the death of the process; what was forced survives a power loss.
 *
 * <p>What the disk refuses is kept in memory, within bounds, and tried again; what is unreadable is renamed to {@code *.damaged}. Both are
 * said by {@link #trouble}; nothing here throws for the disk.
 *
 * <p>Thread-safe. {@code this} guards all of it, and may be taken by an owner for several steps in one; a search reads segments outside of
 * it.
 */
final class HistoryFiles<T> {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryFiles.class);
    private static final String TAIL = "tail";
    /** So many segments' records are kept in memory while the disk refuses them. */
    private static final int WAITING = 4;

    private static final int HEADER = 12;
    private static final int FORMAT = 1;

    private final Disk disk;
    private final Path directory;
    private final RecordFormat<T> format;
    private final Supplier<HistoryLimits> limits;
    private final Clock clock;
    private final int full;
    private final Room room;
    private final Pattern names;

    /** Whether the disk has room for more, but for what is needed otherwise. */
    @FunctionalInterface
    interface Room {
        void require() throws IOException;
    }

    private final TreeMap<Long, HistorySegment<T>> segments = new TreeMap<>();
    private final List<T> tail = new ArrayList<>();
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
    private long dropped;
    private int damaged;
    private Optional<String> trouble = Optional.empty();
    private Optional<String> missing = Optional.empty();

    /**
     * @param directory exists
     * @param limits asked again and again
     * @param full so many records make a segment
     */
    HistoryFiles(
            Path directory,
            RecordFormat<T> format,
            int full,
            Supplier<HistoryLimits> limits,
            Clock clock,
            Disk disk,
            Room room) {
        this.directory = directory;
        this.format = format;
        this.full = full;
        this.limits = limits;
        this.clock = clock;
        this.disk = disk;
        this.room = room;
        this.names = Pattern.compile("(" + format.name() + "|" + TAIL + ")-(\\d{10})\\.(?:seg|log)");
    }

    private String what() {
        return "the history of " + format.name();
    }

    /** Reads what is there; called once. */
    synchronized void load() {
        try {
            TreeMap<Long, String> tails = new TreeMap<>();
            for (String name : disk.list(directory)) {
                Matcher known = names.matcher(name);
                if (!known.matches()) {
                    if (name.endsWith(".tmp")) {
                        disk.delete(directory.resolve(name));
                    }
                } else if (known.group(1).equals(TAIL)) {
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
            trouble = Optional.of(what() + " in " + directory
                    + " cannot be read, and is not written until enipamd starts again: " + e.getMessage());
            LOG.warn("{}", trouble.get());
        }
    }

    private void segment(long at, Path path) throws IOException {
        try {
            segments.put(at, HistorySegment.open(format, disk, path));
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
                tail.addAll(format.decode(frame.get().payload(image, offset)));
            } catch (IOException e) {
                setAside(path, e);
                return;
            }
            seen = frame.get().generation();
            offset += frame.get().size();
            frame = FrameHeader.read(image, offset);
        }
        int rest = image.length - offset;
        damaged = frame.map(bad -> bad.size() <= rest).orElse(rest >= FrameHeader.BYTES) ? rest : 0;
    }

    /** How many bytes at the tail's end are damaged, and are none that a death of the process left half written. */
    synchronized int damaged() {
        return damaged;
    }

    private void setAside(Path path, Exception why) throws IOException {
        Path aside = path.resolveSibling(path.getFileName() + ".damaged");
        disk.rename(path, aside);
        misses(aside + " could not be read and was put aside: " + why.getMessage());
    }

    synchronized void misses(String what) {
        missing = Optional.of(what);
        LOG.warn("{} is not complete: {}", what(), what);
    }

    /** Which database, or which run of numbers, the records are of; 0 if that is not known yet. */
    synchronized long made() {
        return made;
    }

    /** What follows is of another database, or run of numbers. */
    synchronized void made(long other) {
        written = 0;
        close(file);
        file = Optional.empty();
        made = other;
        seen = 0;
    }

    /** The last commit that is in the history. */
    synchronized long seen() {
        return seen;
    }

    synchronized void seen(long generation) {
        seen = Math.max(seen, generation);
    }

    /** Adds a record, which {@link #write} writes. */
    synchronized void add(T record) {
        tail.add(record);
    }

    /**
     * Writes what was added, and what the disk refused before.
     *
     * @param force also returns not before all of it survives a power loss
     */
    synchronized void write(boolean force) {
        if (!loaded) { // what is there must not be overwritten
            tail.clear();
            return;
        }
        try {
            if (written < tail.size()) {
                room.require();
            }
            writeTail(force);
            if (tail.size() >= full) {
                seal();
            }
            prune();
            if (trouble.isPresent()) {
                LOG.info("{} is written again", what());
            }
            trouble = Optional.empty();
        } catch (IOException | RuntimeException e) {
            close(file);
            file = Optional.empty(); // it is not known what is in it: the next one is written whole
            String cause = what() + " in " + directory + " cannot be written: " + e.getMessage();
            if (trouble.isEmpty()) {
                LOG.warn("{}; this is tried again all the time", cause);
            }
            trouble = Optional.of(cause);
            int over = tail.size() - WAITING * full;
            if (over > 0) {
                dropped += over;
                tail.subList(0, over).clear();
                misses(over + " " + format.name() + " and more came while it could not be written");
            }
        }
    }

    private void writeTail(boolean force) throws IOException {
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
                write(begun, format.encode(tail), seen);
            }
            begun.force();
        } finally {
            begun.close();
        }
        disk.renameDurably(unfinished, path);
        file = Optional.of(disk.open(path));
    }

    private void append(List<T> records) throws IOException {
        write(file.orElseThrow(), format.encode(records), seen);
    }

    private void write(DiskFile to, byte[] payload, long generation) throws IOException {
        FrameHeader header = FrameHeader.of(payload, generation, generation);
        ByteBuffer frame = ByteBuffer.allocate(header.size());
        header.write(payload, frame);
        to.write(frame.flip(), end);
        end += header.size();
    }

    private void seal() throws IOException {
        Path path = directory.resolve(format.name() + "-%010d.seg".formatted(number));
        Path unfinished = path.resolveSibling(path.getFileName() + ".tmp");
        disk.delete(unfinished);
        try (DiskFile begun = disk.create(unfinished)) {
            begun.write(ByteBuffer.wrap(HistorySegment.image(format, tail, seen, made)), 0);
            begun.force();
        }
        disk.renameDurably(unfinished, path);
        segments.put(number, HistorySegment.open(format, disk, path));
        close(file);
        file = Optional.empty();
        disk.delete(directory.resolve("tail-%010d.log".formatted(number)));
        number++;
        tail.clear();
        written = 0;
        end = 0;
        filed = seen;
    }

    private void prune() throws IOException {
        HistoryLimits now = limits.get();
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

    /** What matches, what ended last first. What cannot be read is passed over, and said by {@link #trouble}. */
    List<T> find(HistorySearch<T> query) {
        List<HistorySegment<T>> files;
        List<T> found;
        Instant oldest = clock.instant().minus(limits.get().age());
        synchronized (this) {
            files = List.copyOf(segments.descendingMap().values());
            found = new ArrayList<>(tail);
        }
        found.removeIf(record -> !overlaps(record, query) || !query.matches().test(record));
        for (HistorySegment<T> segment : files) {
            if (found.size() >= query.limit()) {
                break; // what is in older files ended before
            }
            search(segment, query, found);
        }
        return found.stream()
                .filter(record -> !format.end(record).isBefore(oldest))
                .sorted(Comparator.comparing(format::end).reversed())
                .limit(query.limit())
                .toList();
    }

    private boolean overlaps(T record, HistorySearch<T> query) {
        return !format.begin(record).isAfter(query.to()) && !format.end(record).isBefore(query.from());
    }

    private void search(HistorySegment<T> segment, HistorySearch<T> query, List<T> found) {
        try {
            for (int block : segment.candidates(disk, query)) {
                try {
                    segment.read(disk, block).stream()
                            .filter(record -> overlaps(record, query))
                            .filter(query.matches())
                            .forEach(found::add);
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

    private void unreadable(IOException e) {
        misses("a part of it cannot be read: " + e.getMessage());
    }

    /** The last records, as many as asked for and a few more, in the order in which they came but for what a format reorders. */
    List<T> latest(int count) {
        List<HistorySegment<T>> files;
        List<T> latest;
        synchronized (this) {
            files = List.copyOf(segments.descendingMap().values());
            latest = new ArrayList<>(tail);
        }
        HistorySearch<T> all = new HistorySearch<>(List.of(), Instant.MIN, Instant.MAX, record -> true, count);
        for (HistorySegment<T> segment : files) {
            if (latest.size() >= count) {
                break;
            }
            List<T> older = new ArrayList<>();
            search(segment, all, older);
            latest.addAll(0, older);
        }
        return latest;
    }

    synchronized long records() {
        return tail.size()
                + segments.values().stream().mapToLong(HistorySegment::records).sum();
    }

    /** On disk. */
    synchronized long size() {
        return bytes() + end;
    }

    /** How many were forgotten since the disk refused them for too long. */
    synchronized long dropped() {
        return dropped;
    }

    /** When the first record began; empty if there is none. */
    synchronized Optional<Instant> oldest() {
        return segments.isEmpty()
                ? tail.stream().map(format::begin).min(Comparator.naturalOrder())
                : segments.values().stream()
                        .map(segment -> segment.span().firstSince())
                        .min(Comparator.naturalOrder());
    }

    /** What ended since then was not deleted for its age or for the size. */
    synchronized Instant completeSince() {
        Instant kept = clock.instant().minus(limits.get().age());
        boolean deleted = (segments.isEmpty() ? number : segments.firstKey()) > 1;
        Instant first = deleted ? oldest().orElseGet(clock::instant) : Instant.EPOCH;
        return first.isAfter(kept) ? first : kept;
    }

    /** What is missing, or cannot be written, one line for an operator; empty if all is well. */
    synchronized Optional<String> trouble() {
        return trouble.or(() -> missing);
    }

    /** Writes what is left. */
    synchronized void close() {
        write(true);
        close(file);
        file = Optional.empty();
    }

    private static void close(Optional<DiskFile> file) {
        try {
            if (file.isPresent()) {
                file.get().close();
            }
        } catch (IOException e) {
            LOG.debug("a file of a history cannot be closed", e);
        }
    }
}
