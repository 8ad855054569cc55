package io.enipam.store;

import io.enipam.store.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A local disk that does a number of steps and then nothing more, as a process that was killed does nothing more. */
final class CrashingDisk implements Disk {
    private final Disk disk = new LocalDisk();
    private final boolean looksCount;
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    private volatile boolean refused;

    /** Each call is a step, whether it changes something or looks. */
    CrashingDisk() {
        this(true);
    }

    private CrashingDisk(boolean looksCount) {
        this.looksCount = looksCount;
    }

    /** One that stops after so many changes: what only looks is no step. */
    static CrashingDisk afterChanges(int changes) {
        CrashingDisk disk = new CrashingDisk(false);
        disk.dieAfter(changes);
        return disk;
    }

    void dieAfter(int steps) {
        left.set(steps);
    }

    void live() {
        left.set(Integer.MAX_VALUE);
    }

    /** Whether there are steps left. */
    boolean alive() {
        return left.get() > 0;
    }

    /** Whether a step was asked for that it did not do. */
    boolean refused() {
        return refused;
    }

    private void look() throws IOException {
        if (looksCount) {
            step();
        }
    }

    private void step() throws IOException {
        if (left.getAndUpdate(steps -> Math.max(0, steps - 1)) == 0) {
            refused = true;
            throw new IOException("killed");
        }
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        step();
        return new StoppingFile(disk.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        look();
        return new StoppingFile(disk.open(file));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        look();
        return disk.read(file);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        look();
        return disk.list(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        step();
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        step();
        disk.delete(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        step();
        disk.forceDirectory(directory);
    }

    private final class StoppingFile implements DiskFile {
        private final DiskFile file;

        StoppingFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            step();
            file.write(bytes, offset);
        }

        @Override
        public void force() throws IOException {
            step();
            file.force();
        }

        @Override
        public boolean isLinked() throws IOException {
            return file.isLinked();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
