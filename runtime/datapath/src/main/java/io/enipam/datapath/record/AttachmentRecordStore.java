package io.enipam.datapath.record;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.engine.model.OwnerKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records, on disk and in memory. A file is whole or not there; it is not forced to the disk, since links end with
 * the machine. Thread-safe.
 */
public final class AttachmentRecordStore {
    private static final Logger LOG = LoggerFactory.getLogger(AttachmentRecordStore.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FRESH = ".new";
    private static final String UNREADABLE = ".unreadable";

    private final Path directory;
    private final Map<OwnerKey, AttachmentRecord> records = new ConcurrentHashMap<>();

    /**
     * Reads what is there; the directory need not be. A file that cannot be read is put aside: its record is recovered
     * from the kernel.
     */
    public AttachmentRecordStore(Path directory) {
        this.directory = directory;
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.json");
                DirectoryStream<Path> halves = Files.newDirectoryStream(directory, "*" + FRESH)) {
            files.forEach(this::read);
            for (Path half : halves) {
                // a daemon died while it wrote it: nothing was done for it yet
                Files.deleteIfExists(half);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the records in " + directory + " cannot be read", e);
        }
    }

    private void read(Path file) {
        try {
            AttachmentRecord record = JSON.readValue(file.toFile(), AttachmentRecord.class);
            records.put(record.key(), record);
        } catch (IOException | RuntimeException e) {
            LOG.warn("{} cannot be read and is put aside: {}", file, e.getMessage());
            try {
                Files.move(
                        file,
                        file.resolveSibling(file.getFileName() + UNREADABLE),
                        StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e2) {
                LOG.warn("{} cannot be put aside either: {}", file, e2.getMessage());
            }
        }
    }

    public Optional<AttachmentRecord> of(OwnerKey owner) {
        return Optional.ofNullable(records.get(owner));
    }

    /** All, in no order. */
    public Collection<AttachmentRecord> all() {
        return List.copyOf(records.values());
    }

    /**
     * Writes one, over an older one of its owner. Throws UncheckedIOException if it cannot be written; the older one
     * stays.
     */
    public void write(AttachmentRecord record) {
        Path file = directory.resolve(new SandboxLinkNames(record.key()).file());
        try {
            Files.createDirectories(directory);
            Path fresh = file.resolveSibling(file.getFileName() + FRESH);
            Files.write(fresh, JSON.writeValueAsBytes(record));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the record " + file + " cannot be written: " + e.getMessage(), e);
        }
        records.put(record.key(), record);
    }

    /** Forgets one; none is success. Throws UncheckedIOException if it cannot be deleted; it stays. */
    public void delete(OwnerKey owner) {
        Path file = directory.resolve(new SandboxLinkNames(owner).file());
        try {
            Files.delete(file);
        } catch (NoSuchFileException e) {
            // it was removed before, or there never was one
        } catch (IOException e) {
            throw new UncheckedIOException("the record " + file + " cannot be deleted: " + e.getMessage(), e);
        }
        records.remove(owner);
    }
}
