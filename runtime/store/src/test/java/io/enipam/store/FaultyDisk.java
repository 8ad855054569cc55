package io.enipam.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A local disk that fails on demand: a write stops half-way, a force or a new file is refused, a force takes its time. */
final class FaultyDisk implements Disk {
    private final Disk disk = new LocalDisk();
    final AtomicInteger forces = new AtomicInteger();
    volatile boolean failWrites;
    volatile boolean failForces;
    volatile boolean failCreates;
    volatile CountDownLatch forceGate = new CountDownLatch(0);

    @Override
    public DiskFile create(Path file) throws IOException {
        if (failCreates) {
            throw new IOException("No space left on device");
        }
        return new FaultyFile(disk.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new FaultyFile(disk.open(file));
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
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        disk.delete(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        disk.forceDirectory(directory);
    }

    private final class FaultyFile implements DiskFile {
        private final DiskFile file;

        FaultyFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            if (failWrites) {
                bytes.limit(bytes.position() + bytes.remaining() / 2);
                file.write(bytes, offset);
                throw new IOException("Input/output error");
            }
            file.write(bytes, offset);
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
            file.force();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
