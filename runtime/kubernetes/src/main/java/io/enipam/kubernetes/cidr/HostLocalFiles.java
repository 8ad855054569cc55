package io.enipam.kubernetes.cidr;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.enipam.sdk.Address;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The directory of one network of CNI's host-local plugin (plugins 1.1.1, {@code ipam/host-local/backend/disk}), shared with it.
 *
 * <p>An address is taken by making its file with {@code O_EXCL}, so two can never have it, lock or no lock; the lock keeps {@link
 * #last} whole, and lets nobody remove a file that has become another's meanwhile. A file gets another owner in place and is cut
 * afterwards: at no moment is the name free, and a full disk cannot hinder it.
 */
public final class HostLocalFiles implements AddressFiles {
    private static final String LOCK = "lock";
    private static final String LAST = "last_reserved_ip.0";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LONGEST = 1024;

    private final Path directory;

    /** @param directory of the network, as {@code /var/lib/cni/networks/NAME}; made when it is needed */
    public HostLocalFiles(Path directory) {
        this.directory = directory;
    }

    @Override
    public Held lock() throws IOException {
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
            // the lock: somebody else was faster
        } catch (IOException e) {
            throw told("the directory of addresses cannot be made", e);
        }
        return Flock.take(directory.resolve(LOCK), PATIENCE);
    }

    @Override
    public Map<String, AddressOwner> taken() throws IOException {
        List<Path> entries;
        try (Stream<Path> all = Files.list(directory)) {
            entries = all.toList();
        } catch (NoSuchFileException e) {
            return Map.of();
        } catch (IOException e) {
            throw told("the directory of addresses cannot be read", e);
        }
        Map<String, AddressOwner> taken = new TreeMap<>();
        for (Path entry : entries) {
            String name = entry.getFileName().toString();
            if (isAddress(name)) {
                owner(name).ifPresent(owner -> taken.put(name, owner));
            }
        }
        return taken;
    }

    private static boolean isAddress(String name) {
        try {
            return Address.literal(name).getHostAddress().equals(name);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public Optional<AddressOwner> owner(String address) throws IOException {
        Path file = directory.resolve(address);
        try (FileChannel channel = FileChannel.open(file, READ)) {
            return Optional.of(AddressOwner.parse(read(channel)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (Files.isDirectory(file) || e instanceof AccessDeniedException) {
                // whatever has the name of an address has the address
                return Optional.of(AddressOwner.parse(""));
            }
            throw told("the file of an address cannot be read", e);
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    }

    @Override
    public boolean take(String address, AddressOwner owner) throws IOException {
        Path file = directory.resolve(address);
        try (FileChannel channel = FileChannel.open(file, CREATE_NEW, WRITE)) {
            try {
                write(channel, owner.text());
            } catch (IOException e) {
                Files.deleteIfExists(file);
                throw e;
            }
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (IOException e) {
            throw told("the file of an address cannot be made", e);
        }
    }

    @Override
    public boolean sign(String address, AddressOwner owner) throws IOException {
        try (FileChannel channel = FileChannel.open(directory.resolve(address), READ, WRITE)) {
            if (!AddressOwner.parse(read(channel)).ours()) {
                return false;
            }
            write(channel, owner.text());
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw told("the file of an address cannot be written", e);
        }
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
            try {
                Files.deleteIfExists(directory.resolve(address));
            } catch (IOException e) {
                throw told("the file of an address cannot be removed", e);
            }
        }
    }

    @Override
    public Optional<String> last() throws IOException {
        try (FileChannel channel = FileChannel.open(directory.resolve(LAST), READ)) {
            // host-local takes nothing but an address for one, and starts from the beginning
            return Optional.of(read(channel)).filter(HostLocalFiles::isAddress);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw told("the address taken last cannot be read", e);
        }
    }

    @Override
    public void remember(String last) throws IOException {
        try {
            Files.writeString(directory.resolve(LAST), last);
        } catch (IOException e) {
            throw told("the address taken last cannot be written down", e);
        }
    }

    @Override
    public String place() {
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
        }
        if (why instanceof FileAlreadyExistsException) {
            return "it is there and is no directory";
        }
        if (why instanceof FileSystemException known && known.getReason() != null) {
            return known.getReason();
        }
        return String.valueOf(why.getMessage());
    }
}
