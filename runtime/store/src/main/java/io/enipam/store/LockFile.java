package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file that one process at a time has locked exclusively. The kernel drops the lock when the process ends, however it
 * ends; the pid in the file is for operators. The file has mode 0600 and stays.
 *
 * <p>Every process that can read a file can hold a shared lock on it, which keeps exclusive ones away. This program
 * takes exclusive locks alone, so a file on which a shared lock can be had is locked by no process of this program:
 * such a file is put aside, and a new one, which no other user can open, takes its place. A process that locks a file
 * makes sure afterwards that the file still has its name; a process that puts a file aside makes sure afterwards that
 * no other process has locked it in between, and else gives it its name back. Thread-safe.
 */
public final class LockFile implements Closeable {
    /**
     * The files this process holds. Static, because POSIX locks belong to the process: a second opener here would not
     * only be let in by the kernel, closing its channel would drop the first one's lock as well.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private static final int ATTEMPTS = 20;

    private final Path file;
    private final boolean sign;
    private Locked locked; // by this

    private record Locked(FileChannel channel, Object key) {}

    private LockFile(Path file, boolean sign, Locked locked) {
        this.file = file;
        this.sign = sign;
        this.locked = locked;
    }

    /** The file is locked by another process, or by this one. */
    public static final class InUseException extends IOException {
        private static final long serialVersionUID = 1L;

        private final String holder;

        InUseException(Path file, String holder) {
            super(file + " is locked by " + holder);
            this.holder = holder;
        }

        /** The process that holds the lock, for a message: {@code pid 4711}, or why that cannot be known. */
        public String holder() {
            return holder;
        }
    }

    /** Takes the lock, and writes the pid into the file; throws InUseException if another process, or this one, has it. */
    public static LockFile take(Path file) throws IOException {
        return take(file, true);
    }

    /** @param sign whether to write the pid into the file; without it, no byte of an existing file is written */
    static LockFile take(Path file, boolean sign) throws IOException {
        Path real = file.toAbsolutePath().getParent().toRealPath().resolve(file.getFileName());
        if (!HELD.add(real)) {
            throw new InUseException(file, "pid " + ProcessHandle.current().pid());
        }
        try {
            return new LockFile(real, sign, lock(real, sign));
        } catch (IOException | RuntimeException e) {
            HELD.remove(real);
            throw e;
        }
    }

    /** Whether the file still has its name: else another process can lock a new file of that name. */
    synchronized boolean isLinked() throws IOException {
        return Optional.of(locked.key()).equals(LocalDisk.key(file));
    }

    /**
     * Takes the lock of the file that has the name now, if that is another one.
     *
     * @return whether it is the same file, which no other process can have locked in between
     * @throws InUseException if another process has locked it
     */
    synchronized boolean renew() throws IOException {
        if (isLinked()) {
            return true;
        }
        Locked renewed = lock(file, sign);
        locked.channel().close();
        locked = renewed;
        return false;
    }

    private static Locked lock(Path file, boolean sign) throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            Optional<Locked> locked = attempt(file, sign);
            if (locked.isPresent()) {
                return locked.get();
            }
        }
        throw new InUseException(file, holder(file));
    }

    /** @return empty if the file was replaced, by this process or by another one, and is to be opened anew */
    private static Optional<Locked> attempt(Path file, boolean sign) throws IOException {
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                LocalDisk.ownersFile(file));
        boolean kept = false;
        try {
            LocalDisk.restrictToOwner(file);
            Optional<Object> key = LocalDisk.key(file);
            if (key.isEmpty()) {
                return Optional.empty();
            }
            if (!isLockable(channel, false)) {
                putAside(file, channel);
                return Optional.empty();
            }
            if (!key.equals(LocalDisk.key(file))) {
                return Optional.empty();
            }
            if (sign) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)), 0);
            }
            kept = true;
            return Optional.of(new Locked(channel, key.get()));
        } catch (OverlappingFileLockException e) {
            throw new InUseException(file, "pid " + ProcessHandle.current().pid());
        } finally {
            if (!kept) {
                channel.close();
            }
        }
    }

    /** Renames a file on which other processes have shared locks alone. */
    private static void putAside(Path file, FileChannel channel) throws IOException {
        if (!isLockable(channel, true)) {
            throw new InUseException(file, holder(file));
        }
        Path aside = file.resolveSibling(file.getFileName() + ".shared");
        try {
            Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException e) {
            return; // another process has done it
        }
        if (isLockable(channel, true)) {
            Files.deleteIfExists(aside);
        } else {
            Files.createLink(file, aside);
            Files.deleteIfExists(aside);
        }
    }

    /** Locks a file; a shared lock is given back at once. */
    private static boolean isLockable(FileChannel channel, boolean shared) throws IOException {
        @Nullable FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared);
        if (lock != null && shared) {
            lock.release();
        }
        return lock != null;
    }

    /** By what the kernel says: what stands in the file may be the pid of a process that ended long ago. */
    private static String holder(Path file) throws IOException {
        Path locks = Path.of("/proc/locks");
        if (!Files.isReadable(locks)
                || !file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return "an unknown pid";
        }
        Object inode;
        try {
            inode = Files.getAttribute(file, "unix:ino");
        } catch (NoSuchFileException e) {
            return "an unknown pid";
        }
        // 1: POSIX  ADVISORY  WRITE 4711 08:01:131074 0 EOF; "->" stands before what waits for a lock
        try (Stream<String> lines = Files.lines(locks, UTF_8)) {
            List<String> pids = lines.filter(line -> !line.contains("->"))
                    .map(line -> line.trim().split("\\s+"))
                    .filter(words -> words.length > 5 && words[5].endsWith(":" + inode))
                    .map(words -> words[4])
                    .filter(pid -> pid.matches("[1-9]\\d*"))
                    .distinct()
                    .toList();
            return pids.isEmpty()
                    ? "a pid that cannot be seen from here, such as one of another container"
                    : "pid " + String.join(", ", pids);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (locked.channel().isOpen()) { // a second close must not free what another opener has taken since
            try {
                locked.channel().close();
            } finally {
                HELD.remove(file);
            }
        }
    }
}
