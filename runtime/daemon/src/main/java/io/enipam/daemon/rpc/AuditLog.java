package io.enipam.daemon.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.port.TimeSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who changed what: one JSON object a line, appended to a file that only its owner reads. Thread-safe. The first
 * line that cannot be written is in the log instead, with the reason, and those after it are counted there: the changes
 * themselves have happened by then.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

    private final JsonMapper mapper = new JsonMapper();
    private final TimeSource time;
    private final FileChannel channel;
    /** Whether the file ends with a part of a line, for which the disk had room. By this. */
    private boolean cut;
    /** By this. */
    private final RefusedLines refused;

    private AuditLog(TimeSource time, FileChannel channel) {
        this.time = time;
        this.channel = channel;
        this.refused = new RefusedLines(LOG, time);
    }

    /** Opens the file for appending; one that is new gets mode 0600. */
    public static AuditLog open(Path file, TimeSource time) throws IOException {
        var ownerOnly = PosixFilePermissions.fromString("rw-------");
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
                PosixFilePermissions.asFileAttribute(ownerOnly));
        Files.setPosixFilePermissions(file, ownerOnly);
        return new AuditLog(time, channel);
    }

    /**
     * Records one call that was to change something.
     *
     * @param caller what a shell on another machine says of who sits there, unchecked; empty for one on this
     * @param command the method's name
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
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", time.now().toString());
        line.put("uid", Integer.toUnsignedLong(peer.uid()));
        line.put("pid", peer.pid());
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
        try {
            append(mapper.writeValueAsString(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of text and numbers is always JSON", e);
        }
    }

    private synchronized void append(String line) {
        try {
            write(line + "\n");
            refused.written();
        } catch (IOException e) {
            refused.add(line, e);
        }
    }

    private void write(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(((cut ? "\n" : "") + line).getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            cut = false;
        } catch (IOException e) {
            cut |= bytes.position() > 0;
            throw e;
        }
    }

    @Override
    public synchronized void close() throws IOException {
        refused.tellTheRest();
        channel.close();
    }
}
