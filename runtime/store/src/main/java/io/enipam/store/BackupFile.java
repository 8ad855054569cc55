package io.enipam.store;

import io.enipam.store.DatabaseFileException.Reason;
import io.enipam.store.DatabaseTools.Backup;
import io.enipam.store.DatabaseTools.FileHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * Writes a snapshot to a file that is there whole or not at all: it is written under another name beside it, 0600 from its
 * first moment, forced, renamed, and the directory forced. Not through {@link Disk}: the file is none of the database's.
 */
final class BackupFile {
    private static final int BUFFER = 1 << 16;

    private final Path file;

    private BackupFile(Path file) {
        this.file = file;
    }

    /** @throws DatabaseFileException if it cannot be written; then what was there before is there still, unless it says so */
    static Backup write(Path file, FileHeader header, StoreSnapshot snapshot, boolean replace) {
        return write(file, header, snapshot, replace, BackupFile::force);
    }

    /** Makes the names in a directory durable. */
    @FunctionalInterface
    interface Force {
        void on(Path directory) throws IOException;
    }

    static Backup write(Path file, FileHeader header, StoreSnapshot snapshot, boolean replace, Force force) {
        if (!file.isAbsolute()) {
            throw new DatabaseFileException(
                    Reason.REFUSED,
                    file + " is no absolute path",
                    "name it from the root of the node: /var/backups/FILE");
        }
        Backup written = new BackupFile(file.normalize()).write(header, snapshot, replace);
        try {
            force.on(written.file().getParent());
        } catch (IOException e) {
            throw new DatabaseFileException(
                    Reason.FAILED,
                    "wrote " + file + ", but its name may not survive a power loss: " + reason(e),
                    "it is there and whole now; check the disk, or name a file on another one",
                    e);
        }
        return written;
    }

    private Backup write(FileHeader header, StoreSnapshot snapshot, boolean replace) {
        Path unfinished = Path.of(file + ".unfinished");
        boolean there = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        if (there && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw refused("it is there and no plain file", "name another file");
        }
        if (there && !replace) {
            throw refused("it exists", "name another file, or replace it with --yes");
        }
        try {
            Files.deleteIfExists(unfinished);
            DatabaseFileLines lines = new DatabaseFileLines(header, snapshot);
            long bytes = write(unfinished, lines);
            publish(unfinished, replace);
            return new Backup(file, header, lines.count(), bytes, lines.sum(), there);
        } catch (FileAlreadyExistsException e) {
            remove(unfinished, e);
            throw refused("it exists", "name another file, or replace it with --yes");
        } catch (NoSuchFileException e) {
            throw refused("its directory does not exist", "make the directory first");
        } catch (AccessDeniedException e) {
            throw refused("enipamd may not write there", "name a directory that enipamd may write");
        } catch (IOException e) {
            remove(unfinished, e);
            throw new DatabaseFileException(
                    Reason.FAILED,
                    "cannot write " + file + ": " + reason(e),
                    "nothing was left behind; make room or name a file on another disk",
                    e);
        }
    }

    private static long write(Path unfinished, DatabaseFileLines lines) throws IOException {
        try (FileChannel channel = FileChannel.open(
                unfinished,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                LocalDisk.ownersFile(unfinished))) {
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
            while (lines.hasNext()) {
                byte[] line = lines.next();
                if (line.length > buffer.remaining()) {
                    flush(buffer, channel);
                }
                if (line.length > buffer.capacity()) {
                    buffer = ByteBuffer.allocate(line.length);
                }
                buffer.put(line);
            }
            flush(buffer, channel);
            channel.force(true);
            return channel.size();
        }
    }

    private static void flush(ByteBuffer buffer, FileChannel channel) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    /** Gives the file its name. A link, unlike a rename, never replaces what another process put there meanwhile. */
    private void publish(Path unfinished, boolean replace) throws IOException {
        if (replace) {
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        try {
            Files.createLink(file, unfinished);
            Files.delete(unfinished);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (UnsupportedOperationException | FileSystemException e) {
            // a file system without links
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static void force(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static void remove(Path unfinished, IOException cause) {
        try {
            Files.deleteIfExists(unfinished);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static String reason(IOException e) {
        return e instanceof FileSystemException named && named.getReason() != null
                ? named.getReason()
                : String.valueOf(e.getMessage());
    }

    private DatabaseFileException refused(String why, String hint) {
        return new DatabaseFileException(Reason.REFUSED, "cannot write " + file + ": " + why, hint);
    }
}
