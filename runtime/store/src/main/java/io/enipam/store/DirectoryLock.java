package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One process at a time: an exclusive lock on the file {@code lock}, which holds the owner's process id. The kernel drops
 * it when the process dies, however it dies.
 */
final class DirectoryLock implements Closeable {
    /**
     * The directories this process holds. Static, because POSIX locks belong to the process: a second opener here would
     * not only be let in by the kernel, closing its channel would drop the first one's lock as well.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /** @throws StoreException if another process, or this one, has the directory open */
    static DirectoryLock take(StoreDirectory store) throws IOException {
        return take(store, true);
    }

    /** The same without writing a byte: for one who looks at a directory and must leave it as it is. */
    static DirectoryLock takeUnsigned(StoreDirectory store) throws IOException {
        return take(store, false);
    }

    private static DirectoryLock take(StoreDirectory store, boolean sign) throws IOException {
        Path directory = store.path().toRealPath();
        if (!HELD.add(directory)) {
            throw inUse(store, Long.toString(ProcessHandle.current().pid()));
        }
        try {
            return new DirectoryLock(directory, lock(store, sign));
        } catch (IOException | RuntimeException e) {
            HELD.remove(directory);
            throw e;
        }
    }

    private static FileChannel lock(StoreDirectory store, boolean sign) throws IOException {
        FileChannel channel = FileChannel.open(
                store.lock(),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                OwnerOnly.file(store.lock()));
        try {
            if (channel.tryLock() == null) {
                throw inUse(store, Files.readString(store.lock(), UTF_8).strip());
            }
            if (sign) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)), 0);
            }
            return channel;
        } catch (OverlappingFileLockException e) {
            channel.close();
            throw inUse(store, Long.toString(ProcessHandle.current().pid()));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static StoreException inUse(StoreDirectory store, String pid) {
        String owner = pid.matches("\\d{1,10}") ? pid : "unknown";
        return new StoreException(
                store.path() + " is in use by another process (pid " + owner + ")",
                "stop that process, or use another directory");
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) { // a second close must not free what another opener has taken since
            try {
                channel.close();
            } finally {
                HELD.remove(directory);
            }
        }
    }
}
