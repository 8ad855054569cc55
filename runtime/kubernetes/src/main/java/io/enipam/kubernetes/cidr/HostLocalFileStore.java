package io.enipam.kubernetes.cidr;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.sdk.Address;
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
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The directory of one network of CNI's host-local plugin (plugins 1.1.1, {@code ipam/host-local/backend/disk}), shared
 * with it.
 *
 * <p>An address is taken by link(2) from a file that is complete and on the disk, so the name never belongs to an empty
 * file of ours, and link(2) overwrites no existing file. The file is written in the same directory under a name that
 * begins with {@link #DRAFT}, which host-local does not parse as an address. Drafts are made under the lock; a draft
 * that exists when the lock is taken was left by a crash and is removed.
 *
 * <p>Host-local creates a file first and writes it afterwards, both under the lock. An empty file that is seen under
 * the lock was therefore left by a crash, and its address is free.
 *
 * <p>A file's owner is changed in place: the name is never free in between, and a full disk cannot prevent the change.
 * All files of ours have the same length ({@link AddressOwner#text}), so a crash leaves either the former or the new
 * text.
 *
 * @param directory of the network, as {@code /var/lib/cni/networks/NAME}; created on demand
 */
public record HostLocalFileStore(Path directory) implements AddressFileStore {
    private static final String LOCK = "lock";
    private static final String LAST = "last_reserved_ip.0";
    private static final String DRAFT = ".enipam-";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LONGEST = 1024;

    @Override
    public LockHandle lock() throws IOException {
        try {
            Files.createDirectories(directory);
            Path lock = directory.resolve(LOCK);
            if (!Files.exists(lock)) {
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
        Flock held = Flock.take(directory.resolve(LOCK), PATIENCE);
        try {
            removeDrafts();
            return held;
        } catch (IOException e) {
            held.close();
            throw told("a file that a crash left cannot be removed", e);
        }
    }

    private void removeDrafts() throws IOException {
        try (DirectoryStream<Path> drafts = Files.newDirectoryStream(directory, DRAFT + "*")) {
            for (Path draft : drafts) {
                Files.deleteIfExists(draft);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    @Override
    public Map<String, AddressOwner> owners() throws IOException {
        List<Path> entries = ifThere("the directory of addresses cannot be read", List.<Path>of(), () -> {
            try (Stream<Path> all = Files.list(directory)) {
                return all.toList();
            }
        });
        Map<String, AddressOwner> taken = new TreeMap<>();
        for (Path entry : entries) {
            String name = entry.getFileName().toString();
            if (isAddress(name)) {
                owner(name).ifPresent(owner -> taken.put(name, owner));
            }
        }
        return taken;
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

    private static boolean isAddress(String name) {
        try {
            return Address.literal(name).getHostAddress().equals(name);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public Optional<Instant> lastModified(String address) throws IOException {
        return ifThere(
                "the file of an address cannot be read",
                Optional.empty(),
                () -> Optional.of(
                        Files.getLastModifiedTime(directory.resolve(address)).toInstant()));
    }

    @Override
    public Optional<AddressOwner> owner(String address) throws IOException {
        Path file = directory.resolve(address);
        return ifThere("the file of an address cannot be read", Optional.empty(), () -> {
            try (FileChannel channel = FileChannel.open(file, READ)) {
                return Optional.of(AddressOwner.parse(read(channel)));
            } catch (IOException e) {
                if (Files.isDirectory(file) || e instanceof AccessDeniedException) {
                    // any file with the name of an address takes the address
                    return Optional.of(AddressOwner.parse(""));
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

    @Override
    public boolean reserve(String address, AddressOwner owner) throws IOException {
        Path file = directory.resolve(address);
        Path draft = directory.resolve(DRAFT + address);
        try {
            try (FileChannel channel = FileChannel.open(draft, CREATE, TRUNCATE_EXISTING, WRITE)) {
                write(channel, owner.text());
                channel.force(true);
            }
            boolean taken = linked(file, draft) || (reclaim(address) && linked(file, draft));
            if (taken) {
                persistNames(file);
            }
            return taken;
        } catch (IOException e) {
            throw told("the file of an address cannot be made", e);
        } finally {
            Files.deleteIfExists(draft);
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
    private void persistNames(Path made) throws IOException {
        try (FileChannel names = FileChannel.open(directory, READ)) {
            names.force(true);
        } catch (IOException e) {
            Files.deleteIfExists(made);
            throw e;
        }
    }

    @Override
    public boolean reclaim(String address) throws IOException {
        Path file = directory.resolve(address);
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            return false;
        }
        try {
            return owner(address).filter(AddressOwner::isUnnamed).isPresent() && Files.deleteIfExists(file);
        } catch (IOException e) {
            throw told("the empty file of an address cannot be removed", e);
        }
    }

    @Override
    public boolean changeOwner(String address, AddressOwner owner) throws IOException {
        return ifThere("the file of an address cannot be written", false, () -> {
            try (FileChannel channel = FileChannel.open(directory.resolve(address), READ, WRITE)) {
                boolean ours = AddressOwner.parse(read(channel)).ours();
                if (ours) {
                    write(channel, owner.text());
                }
                return ours;
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

    @Override
    public void free(String address) throws IOException {
        if (owner(address).filter(AddressOwner::ours).isPresent()) {
            remove(address);
        }
    }

    @Override
    public void release(String containerId) throws IOException {
        for (Map.Entry<String, AddressOwner> entry : owners().entrySet()) {
            if (!entry.getValue().ours() && entry.getValue().containerId().equals(containerId)) {
                remove(entry.getKey());
            }
        }
    }

    private void remove(String address) throws IOException {
        ifThere(
                "the file of an address cannot be removed",
                false,
                () -> Files.deleteIfExists(directory.resolve(address)));
    }

    @Override
    public Optional<String> lastReserved() throws IOException {
        return ifThere("the address taken last cannot be read", Optional.empty(), () -> {
            try (FileChannel channel = FileChannel.open(directory.resolve(LAST), READ)) {
                // host-local accepts only an address here, and otherwise starts from the beginning
                return Optional.of(read(channel)).filter(HostLocalFileStore::isAddress);
            }
        });
    }

    @Override
    public void setLastReserved(String last) throws IOException {
        try {
            Files.writeString(directory.resolve(LAST), last);
        } catch (IOException e) {
            throw told("the address taken last cannot be written down", e);
        }
    }

    @Override
    public String location() {
        return directory.toString();
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

    /**
     * An flock(2) on a file, held by a child process while its input is open: the locks of the JDK's channels are of
     * another kind, which the Go programs do not see. The child echoes its input once it has the lock. It dies with
     * this process, which releases the lock.
     */
    record Flock(Process child) implements AddressFileStore.LockHandle {
        private static final byte SIGN = 'L';
        private static final int TAKEN_BY_ANOTHER = 75;
        private static final long END_SECONDS = 5;

        /**
         * Waits for the lock.
         *
         * @throws IOException if the lock is not available within this time, or not at all
         */
        static Flock take(Path file, Duration patience) throws IOException {
            Process child;
            try {
                String wait = String.valueOf(patience.toSeconds());
                String taken = String.valueOf(TAKEN_BY_ANOTHER);
                child = new ProcessBuilder("flock", "-x", "-F", "-w", wait, "-E", taken, file.toString(), "cat")
                        .start();
            } catch (IOException e) {
                throw new IOException(
                        file + " cannot be locked: " + e.getMessage()
                                + "; the program flock is in the package util-linux",
                        e);
            }
            Flock flock = new Flock(child);
            try {
                child.getOutputStream().write(SIGN);
                child.getOutputStream().flush();
            } catch (IOException e) {
                // the child has ended before it read its input, and reports the reason
            }
            if (child.getInputStream().read() == SIGN) {
                return flock;
            }
            String said = new String(child.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            flock.close();
            boolean another = !child.isAlive() && child.exitValue() == TAKEN_BY_ANOTHER;
            throw new IOException(
                    another
                            ? file + " is locked by another for more than " + patience.toSeconds() + "s; 'fuser -v "
                                    + file + "' says by whom"
                            : file + " cannot be locked: " + (said.isEmpty() ? "flock ended without a word" : said));
        }

        @Override
        public void close() {
            try {
                child.getOutputStream().close();
            } catch (IOException e) {
                // the child no longer reads: it has ended
            }
            boolean ended = false;
            try {
                ended = child.waitFor(END_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!ended) {
                child.destroyForcibly();
            }
        }
    }
}
