package io.enipam.store;

import io.enipam.store.Disk.DiskFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The machine's own file system. */
final class LocalDisk implements Disk {
    /** Of a file that is read, a multiple of 4096. */
    private static final int BLOCK = 64 << 10;

    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rwx------");

    @Override
    public DiskFile create(Path file) throws IOException {
        return LocalFile.of(
                file,
                FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        LocalDisk.ownersFile(file)));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return LocalFile.of(file, FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return Files.readAllBytes(file);
    }

    /** Goes from the end towards the beginning, and has no more of the file in memory at once than it returns. */
    @Override
    public FileImage readUntilZeroes(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() > Integer.MAX_VALUE) {
                throw new IOException(file + " is longer than any file of a database");
            }
            int length = (int) channel.size();
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
            ByteBuffer zeroes = ByteBuffer.allocateDirect(BLOCK);
            int end = length;
            while (end > 0) {
                int from = (end - 1) / BLOCK * BLOCK;
                fill(channel, block.clear().limit(end - from), from);
                if (!block.equals(zeroes.clear().limit(end - from))) {
                    break;
                }
                end = from;
            }
            byte[] bytes = new byte[end];
            for (int at = 0; at < end; at += BLOCK) {
                int size = Math.min(BLOCK, end - at);
                fill(channel, block.clear().limit(size), at);
                block.get(bytes, at, size);
            }
            return new FileImage(bytes, length);
        }
    }

    /** Reads as many bytes as the buffer has room for, and flips it. */
    private static void fill(FileChannel channel, ByteBuffer block, long offset) throws IOException {
        while (block.hasRemaining()) {
            if (channel.read(block, offset + block.position()) < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
        }
        block.flip();
    }

    @Override
    public byte[] read(Path file, long offset, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer part = ByteBuffer.allocate(length);
            while (part.hasRemaining() && channel.read(part, offset + part.position()) > 0) {}
            return part.hasRemaining() ? Arrays.copyOf(part.array(), part.position()) : part.array();
        }
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

    /** Attributes for a new file of mode 0600, where the file system has modes: leases show every pod's address. */
    static FileAttribute<?>[] ownersFile(Path file) {
        return mode(file, "rw-------");
    }

    static FileAttribute<?>[] ownersDirectory(Path directory) {
        return mode(directory, "rwx------");
    }

    /** Takes all rights from others than the owner, if a file has given them. */
    static void restrictToOwner(Path file) throws IOException {
        if (isPosix(file)) {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
            if (rights.retainAll(OWNERS)) {
                Files.setPosixFilePermissions(file, rights);
            }
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static FileAttribute<?>[] mode(Path path, String mode) {
        return isPosix(path)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : new FileAttribute<?>[0];
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
