package io.enipam.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import io.enipam.store.Disk.DiskFile;

/** The machine's own file system. */
final class LocalDisk implements Disk {
    @Override
    public DiskFile create(Path file) throws IOException {
        return LocalFile.of(
                file,
                FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        OwnerOnlyPermissions.file(file)));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return LocalFile.of(file, FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return Files.readAllBytes(file);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * Which file a path names: device and inode. The number of an open file is not given to another one.
     *
     * @return empty if the path names none, and where the file system has no such numbers
     */
    static Optional<Object> key(Path path) throws IOException {
        try {
            return Optional.ofNullable(
                    Files.readAttributes(path, BasicFileAttributes.class).fileKey());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** @param key empty if the file system has none, or the file was removed while it was opened */
    private record LocalFile(Path path, FileChannel channel, Optional<Object> key) implements DiskFile {
        static LocalFile of(Path path, FileChannel channel) throws IOException {
            try {
                return new LocalFile(path, channel, LocalDisk.key(path));
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            long at = offset;
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public boolean isLinked() throws IOException {
            return key.isPresent() ? key.equals(LocalDisk.key(path)) : Files.exists(path);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
