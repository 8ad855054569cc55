package io.enipam.daemon.warmup;

import io.enipam.store.Disk;
import io.enipam.store.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A disk of one directory that knows its files' names and keeps nothing of what is written to them. Thread-safe. */
final class DiscardingDisk implements Disk {
    private final Set<Path> files = ConcurrentHashMap.newKeySet();

    @Override
    public DiskFile create(Path file) throws IOException {
        if (!files.add(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        return new DiscardingFile(this, file);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        require(file);
        return new DiscardingFile(this, file);
    }

    @Override
    public byte[] read(Path file) throws IOException {
        throw new NoSuchFileException(file.toString(), null, "nothing is kept");
    }

    @Override
    public List<String> list(Path directory) {
        return files.stream().map(file -> file.getFileName().toString()).toList();
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        require(from);
        files.remove(from);
        files.add(to);
    }

    @Override
    public void delete(Path file) {
        files.remove(file);
    }

    @Override
    public void forceDirectory(Path directory) {
        // nothing would survive anyway
    }

    private void require(Path file) throws NoSuchFileException {
        if (!files.contains(file)) {
            throw new NoSuchFileException(file.toString());
        }
    }

    private record DiscardingFile(DiscardingDisk disk, Path file) implements DiskFile {
        @Override
        public void write(ByteBuffer bytes, long offset) {
            bytes.position(bytes.limit());
        }

        @Override
        public void force() {
            // nothing would survive anyway
        }

        @Override
        public boolean isLinked() {
            return disk.files.contains(file);
        }

        @Override
        public void close() {
            // it has nothing to give back
        }
    }
}
