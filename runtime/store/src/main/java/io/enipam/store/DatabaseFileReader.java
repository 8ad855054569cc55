package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.store.BackupFile.DatabaseFileLines;
import io.enipam.store.DatabaseTools.FileHeader;
import io.enipam.store.DatabaseTools.NodeName;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a backup or an export. Everything in it is validated: it is a plain file of bounded size, its lines are bounded
 * and have the three shapes that {@link DatabaseFileLines} writes, the number and the checksum in the last line are
 * right, every record is readable, and together they make sense ({@link RecordRules}). One line is in memory at a time,
 * beside the records.
 */
final class DatabaseFileReader {
    /** A node has a few hundred records of half a KiB. A hundred thousand of them fit, and so does the file into the heap. */
    static final long MOST_BYTES = 64L << 20;

    static final String ANOTHER_FILE = "name a file that 'db backup' or 'db export' wrote";

    private static final String NEWER = "a newer enipamd wrote it: restore it with that one";
    private static final Integer ROOT = 0;

    static final int MOST_RECORDS = 250_000;
    static final int LONGEST_LINE = 64 << 10;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String shown;
    private final Instant now;
    private final RecordCodec codec = new RecordCodec();
    private final FormerKeys formerKeys = new FormerKeys();
    private final MessageDigest digest = DatabaseFileLines.sha256();
    private final Map<Bucket, List<Map.Entry<String, byte[]>>> records = new EnumMap<>(Bucket.class);
    private Optional<FileHeader> header = Optional.empty();
    private boolean former;
    private long count;
    private long number;
    private long bytes;
    private boolean ended;

    private DatabaseFileReader(String shown, Instant now) {
        this.shown = shown;
        this.now = now;
    }

    /**
     * @param shown what the file is called in messages
     * @param now by the node's clock
     * @throws DatabaseFileException if it cannot be taken as it is
     */
    static DatabaseFile read(Path file, String shown, Instant now) {
        DatabaseFileReader reader = new DatabaseFileReader(shown, now);
        try {
            reader.checkKind(file);
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
                return reader.read(in);
            }
        } catch (NoSuchFileException e) {
            throw reader.refused("there is no such file", ANOTHER_FILE);
        } catch (AccessDeniedException e) {
            throw reader.refused("enipamd may not read it", "give it to the user that enipamd runs as");
        } catch (IOException e) {
            throw DatabaseFileException.failed("cannot read " + shown + ": " + e.getMessage(), "check the disk", e);
        }
    }

    private void checkKind(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) {
            // before it is opened: opening a pipe waits for a writer
            throw refused("it is " + (attributes.isDirectory() ? "a directory" : "no plain file"), ANOTHER_FILE);
        }
        if (attributes.size() > MOST_BYTES) {
            throw refused(
                    "it has " + attributes.size() + " bytes, a database of a node has at most " + MOST_BYTES,
                    ANOTHER_FILE);
        }
        if (attributes.size() == 0) {
            throw refused("it is empty", "take another backup");
        }
        checkOwner(file);
    }

    /** A backup decides which pod has which address: only root and enipamd's own user may write it. */
    private void checkOwner(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return;
        }
        Object owner = Files.getAttribute(file, "unix:uid");
        if (!owner.equals(ROOT) && !owner.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            throw refused(
                    "it belongs to the user with uid " + owner,
                    "if you trust what is in it, make it root's: chown root " + shown);
        }
        if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
            throw refused("everybody may write it", "if you trust what is in it: chmod o-w " + shown);
        }
    }

    private DatabaseFile read(InputStream in) throws IOException {
        for (byte[] line = line(in); line.length > 0; line = line(in)) {
            number++;
            bytes += line.length;
            if (bytes > MOST_BYTES) { // it has grown since it was looked at
                throw refused("it has more than " + MOST_BYTES + " bytes", "copy it, and restore the copy");
            }
            take(line);
        }
        FileHeader found = header.orElseThrow(this::foreign);
        if (!ended) {
            throw refused(
                    "it ends after " + count + " records, before its last line: the rest of it is missing",
                    "take another backup, or copy this one again");
        }
        if (former) {
            FormerKeys.BUCKETS.forEach(
                    bucket -> records.getOrDefault(bucket, new ArrayList<>()).sort(Map.Entry.comparingByKey()));
        }
        DatabaseFile file = new DatabaseFile(found, new StoreSnapshot(0, records));
        List<RecordRules.Problem> problems = RecordRules.problems(file.snapshot(), now);
        if (!problems.isEmpty()) {
            RecordRules.Problem first = problems.get(0);
            throw refused(
                    "record " + first.where() + " cannot be taken: " + first.message()
                            + (problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)"),
                    first.newer() ? NEWER : "take another backup, or correct the export");
        }
        return file;
    }

    private void take(byte[] bytes) {
        if (ended) {
            throw damaged("there is more behind its last line");
        }
        JsonNode line = json(bytes);
        if (header.isEmpty()) {
            header = Optional.of(header(line));
            digest.update(bytes);
        } else if (line.has("end")) {
            end(line);
        } else {
            record(line);
            digest.update(bytes);
        }
    }

    private JsonNode json(byte[] bytes) {
        try {
            String text = UTF_8.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            JsonNode line = JSON.readTree(text);
            if (line.isObject()) {
                return line;
            }
        } catch (CharacterCodingException | JsonProcessingException e) {
            // reported below, in words that fit what the file seems to be
        }
        throw header.isEmpty() ? foreign() : damaged("it is no JSON object");
    }

    private FileHeader header(JsonNode line) {
        if (!line.path("enipam").asText().equals(DatabaseFileLines.PROGRAM)) {
            throw foreign();
        }
        int format = line.path("format").asInt();
        if (format > DatabaseFileLines.FORMAT) {
            throw refused("it has format " + format + ", this enipamd knows up to " + DatabaseFileLines.FORMAT, NEWER);
        }
        former = format < DatabaseFileLines.FORMAT;
        boolean backup = line.path("kind").asText().equals("backup");
        if (format < 1 || !backup && !line.path("kind").asText().equals("export")) {
            throw damaged("it does not say what the file is");
        }
        NodeName node =
                new NodeName(line.path("node").asText(), line.path("instance").asText());
        if (!backup) {
            return new FileHeader(FileHeader.Kind.EXPORT, node, Optional.empty());
        }
        try {
            Instant taken = Instant.parse(line.path("taken").asText());
            FileHeader.Moment moment =
                    new FileHeader.Moment(taken, line.path("generation").asLong());
            return new FileHeader(FileHeader.Kind.BACKUP, node, Optional.of(moment));
        } catch (DateTimeException e) {
            throw damaged("its date is not readable");
        }
    }

    private void record(JsonNode line) {
        JsonNode record = line.path("record");
        if (line.size() != 3
                || !line.path("bucket").isTextual()
                || !line.path("key").isTextual()
                || !record.isObject()) {
            throw damaged("it is not of the form {\"bucket\":...,\"key\":...,\"record\":{...}}");
        }
        String name = line.path("bucket").asText();
        Bucket bucket = Bucket.parse(name)
                .filter(known -> known != Bucket.META)
                .orElseThrow(() -> damaged("there is no bucket '" + printable(name) + "'"));
        if (++count > MOST_RECORDS) {
            throw refused("it has more than " + MOST_RECORDS + " records", "no node has as many: name another file");
        }
        String key = line.path("key").asText();
        if (key.chars().anyMatch(Character::isISOControl)) {
            throw damaged("its key has a control character");
        }
        byte[] known = known(bucket, key, record.toString().getBytes(UTF_8));
        String today = former ? formerKeys.today(bucket, key, known).orElse(key) : key;
        records.computeIfAbsent(bucket, any -> new ArrayList<>()).add(Map.entry(today, known));
    }

    /** Unknown fields are dropped; {@link RecordRules} checks the others. */
    private byte[] known(Bucket bucket, String key, byte[] record) {
        try {
            return codec.known(bucket, key, record);
        } catch (StoreException e) {
            return record;
        }
    }

    private void end(JsonNode line) {
        ended = true;
        if (line.path("records").asLong(-1) != count) {
            throw damaged("it counts " + line.path("records").asText("no") + " records, there are " + count);
        }
        FileHeader found = header.orElseThrow();
        boolean summed = line.has("sha256");
        if (!summed && found.kind() == FileHeader.Kind.BACKUP
                || summed && !line.path("sha256").asText().equals(HexFormat.of().formatHex(digest.digest()))) {
            throw refused(
                    "its content does not give the checksum in its last line: it was changed",
                    found.kind() == FileHeader.Kind.BACKUP
                            ? "take another backup"
                            : "if the change was meant, take \"sha256\" out of the last line");
        }
    }

    /** The next line with its end; empty at the end of the file. */
    private byte[] line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next;
        do {
            next = in.read();
            if (next >= 0) {
                line.write(next);
            }
            if (next != '\n' && line.size() > LONGEST_LINE) {
                number++;
                throw header.isEmpty() ? foreign() : damaged("it has more than " + LONGEST_LINE + " bytes");
            }
        } while (next >= 0 && next != '\n');
        return line.toByteArray();
    }

    private DatabaseFileException foreign() {
        return refused("it is neither a backup nor an export of enipam", ANOTHER_FILE);
    }

    private DatabaseFileException damaged(String what) {
        return refused("its line " + number + " is wrong: " + what, "take another backup, or copy this one again");
    }

    private DatabaseFileException refused(String what, String hint) {
        return DatabaseFileException.refused(shown + " cannot be taken: " + what, hint);
    }

    private static String printable(String text) {
        return text.substring(0, Math.min(text.length(), 40)).replaceAll("\\p{Cntrl}", "?");
    }

    /** A backup or an export that was read whole and found right; the records are in the order of the file. */
    record DatabaseFile(FileHeader header, StoreSnapshot snapshot) {}
}
