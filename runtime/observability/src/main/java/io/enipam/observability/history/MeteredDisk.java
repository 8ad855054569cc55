package io.enipam.observability.history;

import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.store.Disk;
import io.enipam.store.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** A disk that counts the time of each force of a file, successful or not. As thread-safe as the disk. */
public record MeteredDisk(Disk disk, LatencyHistogram forces) implements Disk {
    @Override
    public DiskFile create(Path file) throws IOException {
        return new MeteredFile(disk.create(file), forces);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new MeteredFile(disk.open(file), forces);
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return disk.read(file);
    }

    @Override
    public FileImage readUntilZeroes(Path file) throws IOException {
        return disk.readUntilZeroes(file);
    }

    @Override
    public byte[] read(Path file, long offset, int length) throws IOException {
        return disk.read(file, offset, length);
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

    private record MeteredFile(DiskFile file, LatencyHistogram forces) implements DiskFile {
        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            file.write(bytes, offset);
        }

        @Override
        public void force() throws IOException {
            long from = System.nanoTime();
            try {
                file.force();
            } finally {
                forces.add(System.nanoTime() - from);
            }
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
