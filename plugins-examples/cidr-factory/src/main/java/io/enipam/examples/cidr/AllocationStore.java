package io.enipam.examples.cidr;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Family;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ranges.Ip;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is lent, on disk: one file per allocation, named by its addresses.
 *
 * <pre>
 * DIRECTORY/lock               held while a ledger is open
 * DIRECTORY/writing            a file being written; never read
 * DIRECTORY/last-ipv4          the address given last, a hint
 * DIRECTORY/addresses/ID       an allocation, see {@link Allocation}
 * </pre>
 *
 * <p><b>Survives kill -9 and power loss.</b> A file is written beside, synced, renamed into place, and the directory is
 * synced, before the caller learns of the allocation. So a file in place is always whole: a pair of addresses is there
 * or not, and one that cannot be read was damaged from outside. A removal is synced in the same way.
 *
 * <p>The lock keeps a second ledger off the directory, of this process or another. For one thread at a time.
 */
final class AllocationStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AllocationStore.class);

    private final Path directory;
    private final Path addresses;
    private final Path writing;
    private final FileChannel lock;

    private AllocationStore(Path directory, FileChannel lock) {
        this.directory = directory;
        this.addresses = directory.resolve("addresses");
        this.writing = directory.resolve("writing");
        this.lock = lock;
    }

    /**
     * Everything on disk.
     *
     * @param allocations in the order of their file names
     * @param damages what else is there
     */
    record Content(List<Allocation> allocations, List<Damage> damages) {}

    /**
     * A file that is no allocation of ours.
     *
     * @param file its name
     * @param reason what is wrong, for an operator
     * @param barred the addresses it stands for, if any: they may be in use, so no pod gets them
     */
    record Damage(String file, String reason, Set<Ip> barred) {}

    /**
     * Opens or begins the ledger in a directory.
     *
     * @throws FactoryException {@link ErrorKind#CONFLICT} if another has it open, {@link ErrorKind#UNAVAILABLE} if the
     *     disk fails
     */
    static AllocationStore open(Path directory) {
        FileChannel lock = locked(directory);
        AllocationStore ledger = new AllocationStore(directory, lock);
        try {
            Files.createDirectories(ledger.addresses);
            Files.deleteIfExists(ledger.writing);
            sync(directory);
            return ledger;
        } catch (IOException e) {
            ledger.close();
            throw unusable(directory, e);
        }
    }

    /** Reads the disk. */
    Content read() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(addresses)) {
            files = all.sorted().toList();
        }
        List<Allocation> allocations = new ArrayList<>();
        List<Damage> damages = new ArrayList<>();
        Set<Ip> seen = new TreeSet<>();
        for (Path file : files) {
            String name = file.getFileName().toString();
            try {
                Allocation allocation = read(file);
                for (Allocation.Grant grant : allocation.grants()) {
                    if (seen.contains(grant.address())) {
                        throw new IllegalArgumentException(grant.address() + " is in another file, too");
                    }
                }
                allocation.grants().forEach(g -> seen.add(g.address()));
                allocations.add(allocation);
            } catch (IllegalArgumentException | IOException e) {
                damages.add(new Damage(name, reason(e), Allocation.addressesNamed(name)));
            }
        }
        return new Content(allocations, damages);
    }

    /**
     * Adds an allocation; on return it is on disk for good.
     *
     * @throws FileAlreadyExistsException if another program put a file of that name there
     * @throws IOException if the disk fails; nothing of the allocation is left, unless {@link #has} says so
     */
    void add(Allocation allocation) throws IOException {
        Path file = file(allocation.id());
        if (has(allocation.id())) {
            throw new FileAlreadyExistsException(file.toString());
        }
        try {
            writeSynced(allocation.write());
            Files.move(writing, file, StandardCopyOption.ATOMIC_MOVE);
            sync(addresses);
        } catch (IOException e) {
            undo(writing);
            undo(file);
            throw e;
        }
    }

    /** Removes an allocation; on return it is off the disk for good. One that is not there is no error. */
    void remove(ResourceId id) throws IOException {
        Files.deleteIfExists(file(id));
        sync(addresses);
    }

    /** Whether there is a file for an allocation, whole or not. */
    boolean has(ResourceId id) {
        return Files.exists(file(id), LinkOption.NOFOLLOW_LINKS);
    }

    /** The address given last, as far as known. */
    Optional<Ip> lastGiven(Family family) {
        try {
            Ip last = IpText.address(
                    Files.readString(hint(family), StandardCharsets.ISO_8859_1).strip());
            return Optional.of(last).filter(address -> address.family() == family);
        } catch (IOException | IllegalArgumentException e) {
            // a hint: without it the search begins at the lowest address
            return Optional.empty();
        }
    }

    /** Remembers the address given last. Not synced: losing it costs nothing but the order. */
    void keepLastGiven(Ip address) {
        try {
            Files.writeString(writing, address + "\n");
            Files.move(writing, hint(address.family()), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.debug("the last given address {} is not remembered", address, e);
        }
    }

    /** Lets go of the directory. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.warn("the lock of {} could not be closed", directory, e);
        }
    }

    private static FileChannel locked(Path directory) {
        try {
            FileChannel channel =
                    FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (holds(channel)) {
                return channel;
            }
            channel.close();
        } catch (IOException e) {
            throw unusable(directory, e);
        }
        throw new FactoryException(
                ErrorKind.CONFLICT, "another cidr factory has the ledger in " + directory + " open; close it first");
    }

    private static boolean holds(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldInThisProcess) {
            return false;
        }
    }

    private static FactoryException unusable(Path directory, IOException cause) {
        return new FactoryException(
                ErrorKind.UNAVAILABLE, "the ledger in " + directory + " cannot be used: " + reason(cause), cause);
    }

    private static Allocation read(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IllegalArgumentException("it is not a file");
        }
        if (Files.size(file) > Allocation.MOST_BYTES) {
            throw new IllegalArgumentException("it is longer than any allocation");
        }
        Allocation allocation = Allocation.read(Files.readAllBytes(file));
        if (!allocation.id().value().equals(file.getFileName().toString())) {
            throw new IllegalArgumentException("it is the file of " + allocation.id() + " under another name");
        }
        return allocation;
    }

    private void writeSynced(byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(
                writing, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
    }

    private static void undo(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} is left of an allocation that failed", file, e);
        }
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private Path file(ResourceId id) {
        return addresses.resolve(id.value());
    }

    private Path hint(Family family) {
        return directory.resolve("last-" + family.name().toLowerCase(Locale.ROOT));
    }

    /** What went wrong: the exception's class has what its message, often a mere path, lacks. */
    static String reason(Exception e) {
        return e instanceof IOException ? e.getClass().getSimpleName() + ": " + e.getMessage() : e.getMessage();
    }
}
