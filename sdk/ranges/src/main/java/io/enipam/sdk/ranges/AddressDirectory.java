package io.enipam.sdk.ranges;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * {@link AddressFiles} with an index in memory, so that an address is found in O(log n) of those in use, and not by a look at each file.
 * The files are the truth: every {@link Session} holds the lock that host-local takes, and reads what other programs changed before it
 * answers.
 *
 * <p><b>How it knows what others changed.</b> A program that adds or removes a file changes the directory's time of modification. The kernel
 * writes it to the tick of its clock, so two changes may have the same time. A session therefore ends with a time that no change can
 * write, ten seconds ago to the nanosecond: while the directory has that, nothing was added or removed since. Where the time cannot be set, every
 * session reads the directory.
 *
 * <p>Empty files are free: see {@link AddressFiles}. Thread-safe; one session at a time.
 */
public final class AddressDirectory implements AutoCloseable {
    /** Beside the directories of networks, of which none has a name that begins with a dot. */
    static final String DRAFTS = ".enipam-drafts";

    private static final Duration BACK = Duration.ofSeconds(10);
    private static final Duration ABANDONED = Duration.ofHours(1);

    private final AddressFiles files;
    private final Flock flock;
    private final SharedSync sync;
    private final Path drafts;

    /** One that no other process has: a file of that name is no other one's, not even one that a crash has left. */
    private final String draftName = UUID.randomUUID() + "-";

    private final AtomicLong draftsMade = new AtomicLong();
    private final NavigableMap<Ip, Known> known = new TreeMap<>();
    private final IpIntervals used = new IpIntervals();
    private final Map<String, NavigableSet<Ip>> byContent = new HashMap<>();
    private @Nullable FileTime mark;

    public AddressDirectory(Path directory) {
        this.files = new AddressFiles(directory);
        this.flock = new Flock(directory.resolve("lock"));
        this.sync = new SharedSync(files::sync);
        this.drafts = directory.resolveSibling(DRAFTS);
    }

    /** What the index has of one file. */
    private record Known(
            String content, FileTime modified, @Nullable Object key, long size, boolean regular) {
        boolean isFree() {
            return regular && AddressFiles.isBlank(content);
        }

        boolean same(BasicFileAttributes now) {
            return modified.equals(now.lastModifiedTime()) && size == now.size() && Objects.equals(key, now.fileKey());
        }
    }

    public AddressFiles files() {
        return files;
    }

    /**
     * Takes the lock and reads what has changed.
     *
     * @param patience how long the lock is waited for
     * @throws IOException if it cannot be had, or the directory cannot be read
     */
    public Session open(Duration patience) throws IOException {
        files.lockFile();
        Flock.Held held = flock.lock(patience);
        boolean opened = false;
        try {
            Session session = new Session(held);
            if (mark == null || !mark.equals(modified())) {
                mark = null;
                files.removeDrafts();
                removeAbandoned();
                scan();
                session.changed = true;
            }
            opened = true;
            return session;
        } finally {
            if (!opened) {
                held.close();
            }
        }
    }

    /** What a crash left of {@link #prepare}, long ago: others may be at work. */
    private void removeAbandoned() throws IOException {
        if (!Files.isDirectory(drafts)) {
            return;
        }
        Instant before = Instant.now().minus(ABANDONED);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(drafts)) {
            for (Path draft : all) {
                if (Files.exists(draft)
                        && Files.getLastModifiedTime(draft).toInstant().isBefore(before)) {
                    Files.deleteIfExists(draft);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (NoSuchFileException e) {
            // its caller was through with it
            return;
        }
    }

    private FileTime modified() throws IOException {
        return Files.getLastModifiedTime(files.directory());
    }

    private void scan() throws IOException {
        Set<Ip> gone = new HashSet<>(known.keySet());
        for (Ip ip : files.addresses()) {
            try {
                BasicFileAttributes now = Files.readAttributes(files.file(ip), BasicFileAttributes.class);
                Known before = known.get(ip);
                if (before == null || !before.same(now)) {
                    forget(ip);
                    files.content(ip).ifPresent(content -> remember(ip, content, now));
                }
                gone.remove(ip);
            } catch (NoSuchFileException e) {
                // another program that takes no lock has removed it; or it is a link to nowhere, which takes the
                // address, too
                if (Files.exists(files.file(ip), LinkOption.NOFOLLOW_LINKS)) {
                    forget(ip);
                    known.put(ip, new Known("", FileTime.from(Instant.EPOCH), null, -1, false));
                    used.add(ip);
                    gone.remove(ip);
                }
            }
        }
        gone.forEach(this::forget);
    }

    private void remember(Ip ip, String content, BasicFileAttributes now) {
        boolean regular = now.isRegularFile() && Files.isReadable(files.file(ip));
        Known file = new Known(content.trim(), now.lastModifiedTime(), now.fileKey(), now.size(), regular);
        known.put(ip, file);
        if (!file.isFree()) {
            used.add(ip);
            byContent.computeIfAbsent(file.content(), text -> new TreeSet<>()).add(ip);
        }
    }

    private void forget(Ip ip) {
        Known former = known.remove(ip);
        if (former == null) {
            return;
        }
        used.remove(ip);
        NavigableSet<Ip> same = byContent.get(former.content());
        if (same != null && same.remove(ip) && same.isEmpty()) {
            byContent.remove(former.content());
        }
    }

    /**
     * Writes a file in advance and waits until it is on the disk, without the lock: callers at once wait for the disk together. It is in
     * the directory {@link #DRAFTS} beside the network's, so that it changes nothing there.
     *
     * @return to be closed when it was used or is not needed
     * @throws IOException if it cannot be written
     */
    public Prepared prepare(String content) throws IOException {
        Path draft = drafts.resolve(draftName + draftsMade.incrementAndGet());
        boolean complete = false;
        try {
            try {
                AddressFiles.writeSynced(draft, content, CREATE_NEW, WRITE);
            } catch (NoSuchFileException e) {
                // it is the first one of this node
                Files.createDirectories(drafts);
                AddressFiles.writeSynced(draft, content, CREATE_NEW, WRITE);
            }
            complete = true;
            return new Prepared(draft, content);
        } finally {
            if (!complete) {
                Files.deleteIfExists(draft);
            }
        }
    }

    /**
     * Waits until all names that were made and removed are so on the disk. Callers at once wait for it together, so it is called without the
     * lock.
     */
    public void sync() throws IOException {
        sync.await();
    }

    /** A file that is on the disk and has no address's name yet. */
    public record Prepared(Path draft, String content) implements AutoCloseable {
        /** Removes its own name. */
        @Override
        public void close() throws IOException {
            Files.deleteIfExists(draft);
        }
    }

    /** Ends the process that takes the lock. */
    @Override
    public void close() {
        flock.close();
    }

    /** The directory while this process has its lock. For one thread. */
    public final class Session implements AutoCloseable {
        private final Flock.Held held;
        private boolean changed;
        private boolean inDoubt;

        private Session(Flock.Held held) {
            this.held = held;
        }

        /** The addresses that are taken; to be read alone, and until the session changes something. */
        public IpIntervals used() {
            return used;
        }

        /** What is in the files, without white space around it, by address; empty files are among them. */
        public Map<Ip, String> contents() {
            Map<Ip, String> contents = new TreeMap<>();
            known.forEach((ip, file) -> contents.put(ip, file.content()));
            return contents;
        }

        /** The addresses in whose files there is this text, but for white space around it, ascending. */
        public List<Ip> having(String content) {
            Set<Ip> found = byContent.get(content);
            return found == null ? List.of() : List.copyOf(found);
        }

        /**
         * Takes an address for good: it survives a power failure from here on.
         *
         * @return false if it is taken
         */
        public boolean take(Ip ip, String content) throws IOException {
            begin();
            return taken(ip, content, files.create(ip, content));
        }

        private boolean taken(Ip ip, String content, boolean taken) throws IOException {
            if (taken) {
                forget(ip);
                remember(ip, content, Files.readAttributes(files.file(ip), BasicFileAttributes.class));
            } else {
                scan();
            }
            inDoubt = false;
            return taken;
        }

        /**
         * Takes an address by a file that was prepared; {@link AddressFiles#sync} makes that last, and can wait until the lock is
         * released. Where the file cannot be linked, because another file system is mounted there, it is written anew.
         *
         * @return false if it is taken
         */
        public boolean take(Ip ip, Prepared file) throws IOException {
            begin();
            boolean taken;
            try {
                taken = files.link(ip, file.draft());
            } catch (IOException e) {
                taken = files.create(ip, file.content());
            }
            return taken(ip, file.content(), taken);
        }

        /** Removes the file of an address; {@link #sync} makes that last. */
        public boolean remove(Ip ip) throws IOException {
            begin();
            boolean removed = files.remove(ip);
            forget(ip);
            inDoubt = false;
            return removed;
        }

        /** If it fails from here on, the next session reads the directory. */
        private void begin() {
            changed = true;
            inDoubt = true;
            mark = null;
        }

        /** Waits until removals are on the disk. */
        public void sync() throws IOException {
            files.sync();
        }

        /** The address of a range set that was taken last; empty if it is not known. */
        public Optional<Ip> last(int set) throws IOException {
            return files.last(set);
        }

        public void setLast(int set, Ip last) throws IOException {
            changed |= Files.notExists(files.lastFile(set));
            files.setLast(set, last);
        }

        /** Releases the lock. */
        @Override
        public void close() {
            try {
                if (changed && !inDoubt) {
                    setMark();
                }
                changed = false;
            } finally {
                held.close();
            }
        }

        private void setMark() {
            try {
                Files.setLastModifiedTime(
                        files.directory(), FileTime.from(Instant.now().minus(BACK)));
                mark = modified();
            } catch (IOException e) {
                // not the owner of the directory: the next session reads it again
                mark = null;
            }
        }
    }
}
