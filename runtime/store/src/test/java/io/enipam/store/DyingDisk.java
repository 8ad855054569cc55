package io.enipam.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** A local disk of a process that dies after so many changes: what it has done by then stays, nothing more is done. */
final class DyingDisk implements Disk {
    private final Disk disk = new LocalDisk();
    private final int last;
    private int changes;

    /** @param last how many changes are made; each further one fails */
    DyingDisk(int last) {
        this.last = last;
    }

    synchronized boolean dead() {
        return changes > last;
    }

    private synchronized void change() throws IOException {
        changes++;
        if (changes > last) {
            throw new IOException("the process is dead");
        }
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        change();
        return new DyingFile(disk.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new DyingFile(disk.open(file));
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
        change();
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        change();
        disk.delete(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        change();
        disk.forceDirectory(directory);
    }

    private final class DyingFile implements DiskFile {
        private final DiskFile file;

        DyingFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            change();
            file.write(bytes, offset);
        }

        @Override
        public void force() throws IOException {
            change();
            file.force();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
