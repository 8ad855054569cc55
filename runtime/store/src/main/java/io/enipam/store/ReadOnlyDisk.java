package io.enipam.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A disk that can be read and not be changed. Recovery changes nothing before all of it was read and found right, so where
 * it gets as far as a change, the database is sound.
 */
record ReadOnlyDisk(Disk disk) implements Disk {
    /** Something was about to be changed. */
    static final class ReadOnlyException extends IOException {
        private static final long serialVersionUID = 1L;

        ReadOnlyException(Path file) {
            super(file + " was about to be changed, and only to be looked at");
        }
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
    public DiskFile create(Path file) throws IOException {
        throw new ReadOnlyException(file);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        throw new ReadOnlyException(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        throw new ReadOnlyException(from);
    }

    @Override
    public void delete(Path file) throws IOException {
        throw new ReadOnlyException(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        throw new ReadOnlyException(directory);
    }
}
