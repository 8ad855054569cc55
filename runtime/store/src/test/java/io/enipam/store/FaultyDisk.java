package io.enipam.store;

import io.enipam.store.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A disk that fails on demand: a write stops half-way, a force or a new file is refused, a force takes its time, or whatever a
 * test says at any operation.
 */
final class FaultyDisk implements Disk {
    private final Disk disk;
    final AtomicInteger forces = new AtomicInteger();
    volatile boolean failWrites;
    volatile boolean failForces;
    volatile boolean failCreates;
    volatile CountDownLatch forceGate = new CountDownLatch(0);
    /** Told of every operation that changes the disk, before and after it. */
    volatile Trap trap = (operation, file, done) -> {};

    FaultyDisk() {
        this(new LocalDisk());
    }

    FaultyDisk(Disk disk) {
        this.disk = disk;
    }

    /** What may be done to a disk. */
    enum Operation {
        CREATE,
        OPEN,
        WRITE,
        FORCE,
        RENAME,
        DELETE,
        FORCE_DIRECTORY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Looks at an operation, and refuses it or makes it fail after it was done. */
    @FunctionalInterface
    interface Trap {
        /** @param done whether it has been done */
        void on(Operation operation, Path file, boolean done) throws IOException;
    }

    /** Something to be done between two looks. */
    @FunctionalInterface
    private interface Action<T> {
        T run() throws IOException;
    }

    private <T> T trapped(Operation operation, Path file, Action<T> action) throws IOException {
        Trap now = trap;
        now.on(operation, file, false);
        T result = action.run();
        now.on(operation, file, true);
        return result;
    }

    private void trappedRun(Operation operation, Path file, ThrowingRunnable action) throws IOException {
        trapped(operation, file, () -> {
            action.run();
            return true;
        });
    }

    /** Something to be done that gives nothing. */
    @FunctionalInterface
    private interface ThrowingRunnable {
        void run() throws IOException;
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        if (failCreates) {
            throw new IOException("No space left on device");
        }
        return new FaultyFile(file, trapped(Operation.CREATE, file, () -> disk.create(file)));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new FaultyFile(file, trapped(Operation.OPEN, file, () -> disk.open(file)));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return disk.read(file);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        trappedRun(Operation.RENAME, to, () -> disk.rename(from, to));
    }

    @Override
    public void delete(Path file) throws IOException {
        trappedRun(Operation.DELETE, file, () -> disk.delete(file));
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        trappedRun(Operation.FORCE_DIRECTORY, directory, () -> disk.forceDirectory(directory));
    }

    private final class FaultyFile implements DiskFile {
        private final Path path;
        private final DiskFile file;

        FaultyFile(Path path, DiskFile file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            if (failWrites) {
                bytes.limit(bytes.position() + bytes.remaining() / 2);
                file.write(bytes, offset);
                throw new IOException("Input/output error");
            }
            trappedRun(Operation.WRITE, path, () -> file.write(bytes, offset));
        }

        @Override
        public void force() throws IOException {
            forces.incrementAndGet();
            try {
                forceGate.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (failForces) {
                throw new IOException("Input/output error");
            }
            trappedRun(Operation.FORCE, path, file::force);
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
