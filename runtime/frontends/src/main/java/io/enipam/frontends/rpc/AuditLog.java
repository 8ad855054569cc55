package io.enipam.frontends.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.enipam.platform.ReportRateLimiter;
import io.enipam.store.Disk;
import io.enipam.store.Disk.DiskFile;
import io.enipam.store.ReservedSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who changed what: one JSON object a line, appended to a file that only its owner reads. Thread-safe. The first
 * line that cannot be written is in the log instead, with the reason, and those after it are counted there: the changes
 * themselves have happened by then.
 *
 * <p>What a user may fill of the disk is bounded. A user's refused calls are one line at once and one a minute with
 * their number. The file is renamed to {@code audit.log.1} and so on when it has its share of the size that the files
 * may have together, and the oldest goes. The last free space of the disk is left to the database, which shares it.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final int FILES = 4;
    private static final Duration REFUSALS_INTERVAL = Duration.ofMinutes(1);
    private final JsonMapper mapper = new JsonMapper();
    private final TimeSource time;
    private final Disk disk = Disk.local();
    private final Path path;
    private final long bytesPerFile;
    private final ReportRateLimiter<Long> refusals;
    private DiskFile file; // by this
    private long size; // by this
    private boolean closed; // by this
    /** Whether the file ends with a part of a line: for the rest the disk had no space, or the machine went down. By this. */
    private boolean cut;
    /** By this. */
    private final FailedAuditLines refused;

    private AuditLog(Path path, long bytes, TimeSource time) throws IOException {
        this.time = time;
        this.path = path;
        this.bytesPerFile = bytes / FILES;
        this.refusals = new ReportRateLimiter<>(REFUSALS_INTERVAL, time::nanoTime);
        this.refused = new FailedAuditLines(LOG, time);
        this.file = opened();
        this.size = Files.size(path);
        this.cut = endsWithinALine();
    }

    /**
     * Opens the file for appending; it gets mode 0600.
     *
     * @param bytes what it and those that were renamed may take together
     */
    public static AuditLog open(Path file, long bytes, TimeSource time) throws IOException {
        return new AuditLog(file, bytes, time);
    }

    /** Its files, the present one first; of the others not all need to be there. */
    List<Path> files() {
        return Stream.concat(
                        Stream.of(path),
                        IntStream.range(1, FILES).mapToObj(i -> path.resolveSibling(path.getFileName() + "." + i)))
                .toList();
    }

    private DiskFile opened() throws IOException {
        if (!Files.exists(path)) {
            return disk.create(path);
        }
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        return disk.open(path);
    }

    /**
     * Records one call that was to change something.
     *
     * @param caller what a shell on another machine says of who sits there, unchecked; empty for one on this
     * @param name of the policy or factory that a swap names, the file of a backup or a restore, what is ordered of the
     *     pool, or what is done to the emulated cloud; empty text for other calls
     * @param dryRun whether nothing was to be changed
     * @param outcome {@code OK}, or the code it failed with
     */
    void record(
            Peer peer,
            String caller,
            String command,
            String pod,
            String container,
            String name,
            boolean dryRun,
            String outcome) {
        Map<String, Object> line = begun(Integer.toUnsignedLong(peer.uid()));
        line.put("pid", peer.pid());
        if (outcome.equals(ErrorCode.PERMISSION_DENIED.name())) {
            long count = refusals.add(Integer.toUnsignedLong(peer.uid()));
            if (count > 0) {
                line.put("command", command);
                refused(line, count);
            }
            return;
        }
        if (!caller.isEmpty()) {
            line.put("caller", caller);
        }
        line.put("command", command);
        line.put("pod", pod);
        line.put("container", container);
        if (!name.isEmpty()) {
            line.put("name", name);
        }
        if (dryRun) {
            line.put("dryRun", true);
        }
        line.put("outcome", outcome);
        append(line);
    }

    /** Records how often calls were refused since the last line about that; to be called once a minute. */
    public void recordRefusals() {
        refusals.due(false).forEach((uid, count) -> refused(begun(uid), count));
    }

    private Map<String, Object> begun(long uid) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", time.now().toString());
        line.put("uid", uid);
        return line;
    }

    private void refused(Map<String, Object> line, long count) {
        line.put("outcome", ErrorCode.PERMISSION_DENIED.name());
        if (count > 1) {
            line.put("count", count);
        }
        append(line);
    }

    private void append(Map<String, Object> line) {
        try {
            append(mapper.writeValueAsString(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of text and numbers is always JSON", e);
        }
    }

    private synchronized void append(String line) {
        try {
            write(line + "\n");
            refused.report(false);
        } catch (IOException e) {
            refused.add(line, e);
        }
    }

    private void write(String line) throws IOException {
        if (closed) {
            throw new IOException("the audit log is closed");
        }
        ReservedSpace.leave(path.toAbsolutePath().getParent());
        if (!file.isLinked()) { // who removed it shall not have removed what follows as well
            reopen();
        }
        // another program may have cut the file, to which nothing but this class appends
        size = Math.min(size, Files.size(path));
        if (size > 0 && size + line.length() > bytesPerFile) {
            rotate();
        }
        ByteBuffer bytes = ByteBuffer.wrap(((cut ? "\n" : "") + line).getBytes(StandardCharsets.UTF_8));
        try {
            file.write(bytes, size);
            cut = false;
        } catch (IOException e) {
            cut |= bytes.position() > 0;
            throw e;
        } finally {
            size += bytes.position();
        }
    }

    private void rotate() throws IOException {
        disk.delete(path.resolveSibling(path.getFileName() + "." + (FILES - 1)));
        for (int i = FILES - 1; i > 1; i--) {
            Path younger = path.resolveSibling(path.getFileName() + "." + (i - 1));
            if (Files.exists(younger)) {
                disk.rename(younger, path.resolveSibling(path.getFileName() + "." + i));
            }
        }
        disk.rename(path, path.resolveSibling(path.getFileName() + ".1"));
        reopen();
    }

    private void reopen() throws IOException {
        DiskFile former = file;
        file = opened();
        former.close();
        size = Files.size(path);
        cut = endsWithinALine();
    }

    private boolean endsWithinALine() throws IOException {
        byte[] last = disk.read(path, Math.max(0, size - 1), 1);
        return last.length > 0 && last[0] != '\n';
    }

    @Override
    public synchronized void close() throws IOException {
        refusals.due(true).forEach((uid, count) -> refused(begun(uid), count));
        refused.report(true);
        closed = true;
        file.close();
    }

    /** Reports audit lines that the disk refused, at most once a minute: the log is on it, too. Not thread-safe. */
    static final class FailedAuditLines {
        private final Logger log;
        private final ReportRateLimiter<String> lines;

        FailedAuditLines(Logger log, TimeSource time) {
            this.log = log;
            this.lines = new ReportRateLimiter<>(Duration.ofMinutes(1), time::nanoTime);
        }

        /** One more was refused. */
        void add(String line, Exception why) {
            long count = lines.add("");
            if (count == 1) {
                log.error("the audit log cannot be written ({}); the line was {}", why.toString(), line);
            } else if (count > 1) {
                log.error(
                        "the audit log cannot be written ({}): it lacks {} more lines; the last was {}",
                        why.toString(),
                        count,
                        line);
            }
        }

        /** Reports those that were not reported. */
        void report(boolean all) {
            lines.due(all)
                    .values()
                    .forEach(count -> log.warn("the audit log lacks {} more lines that could not be written", count));
        }
    }
}
