package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.store.DatabaseTools.FileHeader;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;

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
final class DatabaseFileLines implements Iterator<byte[]> {
    static final String PROGRAM = "database";
    static final int FORMAT = 1;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final FileHeader header;
    private final StoreSnapshot snapshot;
    private final Deque<Bucket> buckets = new ArrayDeque<>();
    private final MessageDigest digest = sha256();
    private Iterator<Map.Entry<String, byte[]>> records = java.util.Collections.emptyIterator();
    private Bucket bucket = Bucket.META;
    private Part next = Part.HEADER;
    private long count;
    private String sum = "";

    private enum Part {
        HEADER,
        RECORDS,
        NONE
    }

    DatabaseFileLines(FileHeader header, StoreSnapshot snapshot) {
        this.header = header;
        this.snapshot = snapshot;
        for (Bucket each : Bucket.values()) {
            if (each != Bucket.META) {
                buckets.add(each);
            }
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public boolean hasNext() {
        return next != Part.NONE;
    }

    @Override
    public byte[] next() {
        return switch (next) {
            case HEADER -> {
                next = Part.RECORDS;
                yield digested(first());
            }
            case RECORDS -> recordOrEnd();
            case NONE -> throw new NoSuchElementException("all lines were read");
        };
    }

    /** Records written so far. */
    long count() {
        return count;
    }

    /** The checksum in the last line, once that was read. */
    String sum() {
        return sum;
    }

    private byte[] recordOrEnd() {
        while (!records.hasNext() && !buckets.isEmpty()) {
            bucket = buckets.remove();
            records = snapshot.of(bucket).iterator();
        }
        if (records.hasNext()) {
            Map.Entry<String, byte[]> record = records.next();
            count++;
            return digested("{\"bucket\":" + text(bucket.text()) + ",\"key\":" + text(record.getKey()) + ",\"record\":"
                    + new String(record.getValue(), UTF_8) + "}\n");
        }
        next = Part.NONE;
        sum = HexFormat.of().formatHex(digest.digest());
        return ("{\"end\":true,\"records\":" + count + ",\"sha256\":\"" + sum + "\"}\n").getBytes(UTF_8);
    }

    private String first() {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("enipam", PROGRAM);
        line.put("format", FORMAT);
        line.put("kind", header.kind() == FileHeader.Kind.BACKUP ? "backup" : "export");
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
