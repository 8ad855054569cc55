package io.enipam.sdk.ranges;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The directory of one network of CNI's host-local plugin (plugins 1.1.1, {@code ipam/host-local/backend/disk}), shared with it: one
 * file for each taken address, which has its name, {@code last_reserved_ip.N} for the range set N, and {@code lock}. What changes it
 * is called under an {@link Flock} on {@link #lockFile}. Thread-safe. Every {@link IOException} names the file and the reason.
 *
 * <p>An address is taken by link(2) from a file that is complete and on the disk, so the name never belongs to an empty file of ours,
 * and link(2) overwrites no existing file. The file is written in the same directory under a name that begins with {@link #DRAFT},
 * which host-local does not parse as an address. Drafts are made under the lock; a draft that exists when the lock is taken was left by a
 * crash, and {@link #removeDrafts} removes it.
 *
 * <p>Host-local creates a file first and writes it afterwards, both under the lock. An empty file that is seen under the lock was
 * therefore left by a crash, and its address is free.
 *
 * @param directory of the network, as {@code /var/lib/cni/networks/NAME}; created on demand
 */
public record AddressFiles(Path directory) {
    private static final String LOCK = "lock";
    private static final String LAST = "last_reserved_ip.";
    private static final String DRAFT = ".enipam-";
    private static final int LONGEST = 1024;

    /** The file on which the lock is taken; it exists on return. */
    public Path lockFile() throws IOException {
        Path lock = directory.resolve(LOCK);
        try {
            if (!Files.exists(lock)) {
                Files.createDirectories(directory);
                Files.createFile(
                        lock, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
            }
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw told("the directory of addresses cannot be made", e);
            }
            // the lock: another process was faster
        } catch (IOException e) {
            throw told("the directory of addresses cannot be made", e);
        }
        return lock;
    }

    /** Removes what a crash left of files that were being made, under the lock. */
    public void removeDrafts() throws IOException {
        try (DirectoryStream<Path> drafts = Files.newDirectoryStream(directory, DRAFT + "*")) {
            for (Path draft : drafts) {
                Files.deleteIfExists(draft);
            }
        } catch (DirectoryIteratorException e) {
            throw told("a file that a crash left cannot be removed", e.getCause());
        } catch (IOException e) {
            throw told("a file that a crash left cannot be removed", e);
        }
    }

    /** The addresses that have a file, of whatever kind, ascending; none if there is no directory. */
    public List<Ip> addresses() throws IOException {
        return ifThere("the directory of addresses cannot be read", List.of(), () -> {
            try (Stream<Path> all = Files.list(directory)) {
                return all.flatMap(path -> address(path.getFileName().toString()).stream())
                        .sorted()
                        .toList();
            }
        });
    }

    /** The address whose file has this name; empty if it is no address's. */
    public static Optional<Ip> address(String name) {
        try {
            return Optional.of(Ip.parse(name).unmapped())
                    .filter(ip -> ip.toString().equals(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private interface FileAction<T> {
        T run() throws IOException;
    }

    /** The action's result, or another one if the file does not exist; any other failure says what could not be done. */
    private <T> T ifThere(String what, T absent, FileAction<T> action) throws IOException {
        try {
            return action.run();
        } catch (NoSuchFileException e) {
            return absent;
        } catch (IOException e) {
            throw told(what, e);
        }
    }

    /** The file of an address. */
    public Path file(Ip address) {
        return directory.resolve(address.toString());
    }

    Path lastFile(int set) {
        return directory.resolve(LAST + set);
    }

    /** When the file of an address was last written; empty if it has none. */
    public Optional<Instant> lastModified(Ip address) throws IOException {
        return ifThere(
                "the file of an address cannot be read",
                Optional.empty(),
                () -> Optional.of(Files.getLastModifiedTime(file(address)).toInstant()));
    }

    /**
     * What is in the file of an address, cut off behind 1,024 bytes; empty if there is none, the empty text if it is a directory or may not be
     * read: any file with the name of an address takes the address.
     */
    public Optional<String> content(Ip address) throws IOException {
        Path file = file(address);
        return ifThere("the file of an address cannot be read", Optional.empty(), () -> {
            try (FileChannel channel = FileChannel.open(file, READ)) {
                return Optional.of(read(channel));
            } catch (IOException e) {
                if (Files.isDirectory(file) || e instanceof AccessDeniedException) {
                    return Optional.of("");
                }
                throw e;
            }
        });
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    }

    /**
     * Takes an address, under the lock. Replaces an empty file. The file is complete from the moment its name exists, and survives a power
     * failure.
     *
     * @return false if it is taken
     * @throws IOException if the file cannot be written; it does not exist then
     */
    public boolean create(Ip address, String content) throws IOException {
        Path file = file(address);
        Path draft = directory.resolve(DRAFT + address);
        try {
            writeSynced(draft, content, CREATE, TRUNCATE_EXISTING, WRITE);
            boolean taken = linked(file, draft) || (reclaim(address) && linked(file, draft));
            if (taken) {
                persist(file);
            }
            return taken;
        } catch (IOException e) {
            throw told("the file of an address cannot be made", e);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /**
     * Writes a file that everybody may read, and waits until it is on the disk.
     *
     * @param how it is opened
     */
    static void writeSynced(Path file, String content, OpenOption... how) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(how),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")))) {
            write(channel, content);
            channel.force(true);
        }
    }

    /**
     * Takes an address, under the lock, by a file that is complete and on the disk already, in any directory of the same file system;
     * {@link #sync} makes that last. Replaces an empty file.
     *
     * @return false if it is taken
     * @throws IOException if it cannot be linked
     */
    public boolean link(Ip address, Path complete) throws IOException {
        Path file = file(address);
        try {
            return linked(file, complete) || (reclaim(address) && linked(file, complete));
        } catch (IOException e) {
            throw told("the file of an address cannot be made", e);
        }
    }

    private static boolean linked(Path file, Path draft) throws IOException {
        try {
            Files.createLink(file, draft);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** A name that may not survive a power failure is unreliable: the file is removed again. */
    private void persist(Path made) throws IOException {
        try {
            sync();
        } catch (IOException e) {
            Files.deleteIfExists(made);
            throw e;
        }
    }

    /** Waits until all names that were made and removed are so on the disk. */
    public void sync() throws IOException {
        try (FileChannel names = FileChannel.open(directory, READ)) {
            names.force(true);
        }
    }

    /**
     * Removes the file of an address if it is empty, or has nothing but white space and zeros, under the lock: its writer crashed before it
     * named an owner, or its bytes were not on the disk at a power failure.
     *
     * @return whether it was removed; a file that names an owner stays, and so does one that cannot be read
     */
    public boolean reclaim(Ip address) throws IOException {
        Path file = file(address);
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            return false;
        }
        try {
            return content(address).filter(AddressFiles::isBlank).isPresent() && Files.deleteIfExists(file);
        } catch (IOException e) {
            throw told("the empty file of an address cannot be removed", e);
        }
    }

    /** Whether a content names no owner. */
    public static boolean isBlank(String content) {
        return content.trim().isEmpty();
    }

    /**
     * Changes what is in a file, in place: the name is never free in between, and a full disk cannot prevent it if the length stays.
     *
     * @param which what is changed; anything else stays
     * @return whether it was changed; not if there is no file
     */
    public boolean overwrite(Ip address, Predicate<String> which, String content) throws IOException {
        return ifThere("the file of an address cannot be written", false, () -> {
            try (FileChannel channel = FileChannel.open(file(address), READ, WRITE)) {
                boolean wanted = which.test(read(channel));
                if (wanted) {
                    write(channel, content);
                }
                return wanted;
            }
        });
    }

    private static void write(FileChannel channel, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        channel.position(0);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.truncate(bytes.limit());
    }

    /** Removes the file of an address, under the lock; {@link #sync} makes that last. */
    public boolean remove(Ip address) throws IOException {
        return ifThere("the file of an address cannot be removed", false, () -> Files.deleteIfExists(file(address)));
    }

    /** The address of a range set that was taken last; empty if it is not known, or the file has anything but an address. */
    public Optional<Ip> last(int set) throws IOException {
        return ifThere("the address taken last cannot be read", Optional.empty(), () -> {
            try (FileChannel channel = FileChannel.open(lastFile(set), READ)) {
                return Optional.of(Ip.parse(read(channel)).unmapped());
            } catch (IllegalArgumentException e) {
                // host-local, too, starts from the beginning then
                return Optional.empty();
            }
        });
    }

    /**
     * Stores the address of a range set that was taken last, under the lock. Not synced: losing it costs the order alone. Not truncated
     * first: ext4 starts to write a file out when it is closed after that, in the caller's time.
     */
    public void setLast(int set, Ip last) throws IOException {
        try (FileChannel channel = FileChannel.open(lastFile(set), CREATE, WRITE)) {
            write(channel, last.toString());
        } catch (IOException e) {
            throw told("the address taken last cannot be written down", e);
        }
    }

    private IOException told(String what, IOException why) {
        String file = why instanceof FileSystemException known && known.getFile() != null
                ? known.getFile()
                : directory.toString();
        return new IOException(what + ": " + file + ": " + reason(why), why);
    }

    private static String reason(IOException why) {
        if (why instanceof AccessDeniedException) {
            return "permission denied";
        } else if (why instanceof FileAlreadyExistsException) {
            return "it is there and is no directory";
        }
        String reason = why instanceof FileSystemException known ? known.getReason() : null;
        return reason == null ? String.valueOf(why.getMessage()) : reason;
    }
}
