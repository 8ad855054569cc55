package io.enipam.store.journal;

import io.enipam.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a directory: files of frames whose generations go up by one without a gap.
 *
 * <p>A file that refused a write or a force is never written again: what stands behind its last good frame is unknown. The
 * next append begins a new file at the same generation; at start, a file's frames count only up to where the next file
 * begins, so a frame whose force failed cannot come back once a later one was acknowledged.
 *
 * <p>Not thread-safe: the writer thread owns it.
 */
public final class Journal implements AutoCloseable {
    private final Disk disk;
    private final Path directory;
    private final long fileSize;
    private long generation;
    private @Nullable JournalFile current;

    private Journal(Disk disk, Path directory, long fileSize, long generation, @Nullable JournalFile current) {
        this.disk = disk;
        this.directory = directory;
        this.fileSize = fileSize;
        this.generation = generation;
        this.current = current;
    }

    /**
     * Opens the journal and replays it.
     *
     * @param fileSize size of new files, in bytes
     * @param after the generation up to which everything is known already
     * @param replay given every frame after that, in order
     * @throws StoreException if frames are missing, or a file is damaged
     */
    public static Journal open(Disk disk, Path directory, long fileSize, long after, Consumer<Frame> replay)
            throws IOException {
        List<Long> firsts = firsts(disk, directory);
        long generation = after;
        JournalFile current = null;
        for (int i = 0; i < firsts.size(); i++) {
            boolean last = i == firsts.size() - 1;
            long end = last ? Long.MAX_VALUE : firsts.get(i + 1);
            if (end <= after + 1) {
                continue; // everything in it is in the checkpoint
            }
            JournalFile.Scan scan = JournalFile.scan(disk, directory.resolve(JournalFile.name(firsts.get(i))));
            if (scan.first() > generation + 1) {
                throw missing(scan.path(), generation + 1, scan.first());
            }
            for (Frame frame : scan.frames()) {
                if (frame.generation() == generation + 1 && frame.generation() < end) {
                    replay.accept(frame);
                    generation = frame.generation();
                }
            }
            if (!last && generation + 1 < end) {
                throw JournalFile.damaged(
                        scan.path(),
                        scan.end(),
                        "generation " + (generation + 1) + " is missing, and the next file begins at " + end);
            }
            if (last) {
                current = JournalFile.resume(disk, scan);
            }
        }
        return new Journal(disk, directory, fileSize, generation, current);
    }

    /** The generation of the last durable frame; 0 if there is none. */
    public long generation() {
        return generation;
    }

    /**
     * Appends a frame and forces it.
     *
     * @return whether a new file was begun: a good moment for a checkpoint
     * @throws IOException if the disk says no; the frame does not count then, and the next append begins a new file
     */
    public boolean append(byte[] payload) throws IOException {
        Frame frame = new Frame(generation + 1, payload);
        boolean begun = false;
        JournalFile file = current;
        if (file == null || !file.fits(frame)) {
            giveUp();
            file = JournalFile.create(
                    disk, directory, frame.generation(), Math.max(fileSize, JournalFile.sizeFor(frame)));
            current = file;
            begun = true;
        }
        try {
            file.append(frame);
        } catch (IOException e) {
            giveUp();
            throw e;
        }
        generation = frame.generation();
        return begun;
    }

    /** Deletes files that hold nothing after a generation. */
    public static void deleteUpTo(Disk disk, Path directory, long known) throws IOException {
        List<Long> firsts = firsts(disk, directory);
        for (int i = 0; i + 1 < firsts.size(); i++) {
            if (firsts.get(i + 1) <= known + 1) {
                disk.delete(directory.resolve(JournalFile.name(firsts.get(i))));
            }
        }
    }

    private static List<Long> firsts(Disk disk, Path directory) throws IOException {
        List<Long> firsts = new ArrayList<>();
        for (String name : disk.list(directory)) {
            JournalFile.firstGeneration(name).ifPresent(firsts::add);
        }
        firsts.sort(Comparator.naturalOrder());
        return firsts;
    }

    private void giveUp() throws IOException {
        JournalFile file = current;
        current = null;
        if (file != null) {
            file.close();
        }
    }

    @Override
    public void close() throws IOException {
        giveUp();
    }

    private static StoreException missing(Path path, long from, long first) {
        return JournalFile.damaged(
                path,
                0,
                "the journal begins at generation " + first + ", and " + from + " to " + (first - 1) + " are missing");
    }
}
