package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.AbstractIterator;
import io.enipam.store.DatabaseTools.Backup;
import io.enipam.store.DatabaseTools.FileHeader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
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
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes a snapshot to a file that is there whole or not at all: it is written under another name beside it, 0600 from its
 * first moment, forced, renamed, and the directory forced. Not through {@link Disk}: the file is none of the database's.
 */
record BackupFile(Path file) {
    private static final int BUFFER = 1 << 16;

    /** @throws DatabaseFileException if it cannot be written; then what was there before is there still, unless it says so */
    static Backup write(Path file, FileHeader header, StoreSnapshot snapshot, boolean replace) {
        return write(file, header, snapshot, replace, new LocalDisk()::forceDirectory);
    }

    /** Makes the names in a directory durable. */
    @FunctionalInterface
    interface Force {
        void on(Path directory) throws IOException;
    }

    static Backup write(Path file, FileHeader header, StoreSnapshot snapshot, boolean replace, Force force) {
        if (!file.isAbsolute()) {
            throw DatabaseFileException.refused(
                    file + " is no absolute path", "name it from the root of the node: /var/backups/FILE");
        }
        Backup written = new BackupFile(file.normalize()).write(header, snapshot, replace);
        try {
            force.on(written.file().getParent());
        } catch (IOException e) {
            throw DatabaseFileException.failed(
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
            throw DatabaseFileException.failed(
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
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
            while (lines.hasNext()) {
                out.write(lines.next());
            }
            out.flush();
            channel.force(true);
            return channel.size();
        }
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
        return DatabaseFileException.refused("cannot write " + file + ": " + why, hint);
    }

    /**
     * A snapshot as the lines of a backup or an export, in UTF-8, each made when it is asked for.
     *
     * <p>Text rather than a MapDB file, because a backup is for the day when the program that made it is gone: any tool reads
     * it, line by line and in any length, a difference of two of them can be looked at, and a reader has to know three shapes of
     * line and nothing of MapDB. A backup and an export differ in the first line alone.
     *
     * <pre>
     * {"enipam":"database","format":1,"kind":"backup","node":"n","instance":"i","taken":"2026-11-21T12:00:00Z","generation":7}
     * {"bucket":"leases","key":"cbr0/c1/eth0","record":{"v":1, ...}}
     * {"end":true,"records":1,"sha256":"..."}
     * </pre>
     *
     * <p>Records are ordered by bucket, in the order of {@link Bucket}, and by key. The bucket {@code meta} is about the
     * database, not of its content, and stays out. The SHA-256 is that of all bytes before the last line.
     */
    static final class DatabaseFileLines extends AbstractIterator<byte[]> {
        static final String PROGRAM = "database";
        /**
         * 3 has the factory's name in the keys of holds and disposals, see {@link FormerKeys}. 2 has rows of plugins' tables. A
         * file is of the lowest format that has what it needs, since older programs read that as well.
         */
        static final int FORMAT = 3;

        private static final ObjectMapper JSON = new ObjectMapper();

        private final FileHeader header;
        private final int format;
        private final Iterator<Map.Entry<Bucket, Map.Entry<String, byte[]>>> records;
        private final MessageDigest digest = sha256();
        private boolean begun;
        private long count;
        private Optional<String> sum = Optional.empty();

        DatabaseFileLines(FileHeader header, StoreSnapshot snapshot) {
            this.header = header;
            this.format = FormerKeys.BUCKETS.stream()
                            .anyMatch(bucket -> !snapshot.of(bucket).isEmpty())
                    ? FORMAT
                    : snapshot.of(Bucket.TABLES).isEmpty() ? 1 : 2;
            this.records = Arrays.stream(Bucket.values())
                    .filter(bucket -> bucket != Bucket.META)
                    .flatMap(bucket -> snapshot.of(bucket).stream().map(record -> Map.entry(bucket, record)))
                    .toList()
                    .iterator();
        }

        static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }

        @Override
        protected byte[] computeNext() {
            if (sum.isPresent()) {
                return endOfData();
            }
            if (!begun) {
                begun = true;
                return digested(first());
            }
            if (records.hasNext()) {
                Map.Entry<Bucket, Map.Entry<String, byte[]>> next = records.next();
                count++;
                return digested("{\"bucket\":" + text(next.getKey().text()) + ",\"key\":"
                        + text(next.getValue().getKey()) + ",\"record\":"
                        + new String(next.getValue().getValue(), UTF_8) + "}\n");
            }
            sum = Optional.of(HexFormat.of().formatHex(digest.digest()));
            return ("{\"end\":true,\"records\":" + count + ",\"sha256\":\"" + sum() + "\"}\n").getBytes(UTF_8);
        }

        long count() {
            return count;
        }

        /** The checksum in the last line, once that was read. */
        String sum() {
            return sum.orElse("");
        }

        private String first() {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("enipam", PROGRAM);
            line.put("format", format);
            line.put("kind", header.kind().name().toLowerCase(Locale.ROOT));
            line.put("node", header.node().node());
            line.put("instance", header.node().instance());
            header.snapshot().ifPresent(moment -> {
                line.put("taken", moment.taken().toString());
                line.put("generation", moment.generation());
            });
            return text(line) + "\n";
        }

        private byte[] digested(String line) {
            byte[] bytes = line.getBytes(UTF_8);
            digest.update(bytes);
            return bytes;
        }

        private static String text(Object value) {
            try {
                return JSON.writeValueAsString(value);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("text and numbers are always JSON", e);
            }
        }
    }
}
