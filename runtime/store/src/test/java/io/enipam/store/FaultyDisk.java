package io.enipam.store;

import io.enipam.store.journal.Disk;
import io.enipam.store.journal.LocalDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A disk that says no when a test says so: to writes, or to forces. */
final class FaultyDisk implements Disk {
    final AtomicBoolean refuseWrites = new AtomicBoolean();
    final AtomicBoolean refuseForces = new AtomicBoolean();
    private final Disk disk = new LocalDisk();

    @Override
    public OpenFile open(Path file) throws IOException {
        OpenFile opened = disk.open(file);
        return new OpenFile() {
            @Override
            public long size() throws IOException {
                return opened.size();
            }

            @Override
            public void write(ByteBuffer bytes, long position) throws IOException {
                if (refuseWrites.get()) {
                    throw new IOException("No space left on device");
                }
                opened.write(bytes, position);
            }

            @Override
            public byte[] read(long position, int length) throws IOException {
                return opened.read(position, length);
            }

            @Override
            public void force() throws IOException {
                if (refuseForces.get()) {
                    throw new IOException("Input/output error");
                }
                opened.force();
            }

            @Override
            public void close() throws IOException {
                opened.close();
            }
        };
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
}
