package io.enipam.shell.bundle;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.enipam.shell.bundle.BundlePart.CollectedPart;
import io.enipam.shell.core.Digest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/** What was collected, as files: parts, report, manifest, and checksums as {@code sha256sum -c} reads them. */
public record Bundle(String node, String shell, Instant made, List<CollectedPart> parts, String report) {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final String REPORT = "report.html";

    public Bundle {
        parts = List.copyOf(parts);
    }

    /** The directory that all files of the archive are in. */
    public String directory() {
        String safe = node.replaceAll("[^A-Za-z0-9.-]", "-");
        String name = safe.substring(0, Math.min(32, safe.length()));
        return "enipam-" + (name.isEmpty() ? "node" : name) + "-" + STAMP.format(made);
    }

    public byte[] archive() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream packed = new GZIPOutputStream(bytes)) {
            TarWriter tar = new TarWriter(packed, made);
            StringBuilder sums = new StringBuilder();
            add(tar, sums, "MANIFEST.json", manifest().getBytes(StandardCharsets.UTF_8));
            add(tar, sums, REPORT, report.getBytes(StandardCharsets.UTF_8));
            for (CollectedPart part : parts) {
                if (part.present()) {
                    add(tar, sums, part.file(), part.content());
                }
            }
            tar.file(directory() + "/SHA256SUMS", sums.toString().getBytes(StandardCharsets.UTF_8));
            tar.end();
        }
        return bytes.toByteArray();
    }

    private void add(TarWriter tar, StringBuilder sums, String file, byte[] content) throws IOException {
        tar.file(directory() + "/" + file, content);
        sums.append(sha256(content)).append("  ").append(file).append('\n');
    }

    /** The manifest: what is in it, how each part went, how long it took, how long it is, its checksum. */
    public String manifest() {
        JsonObject document = new JsonObject();
        document.addProperty("bundle", 1);
        document.addProperty("directory", directory());
        document.addProperty("node", node);
        document.addProperty("shell", shell);
        document.addProperty("made", made.toString());
        document.addProperty("report", REPORT);
        document.addProperty("reportSha256", sha256(report.getBytes(StandardCharsets.UTF_8)));
        JsonArray list = new JsonArray();
        parts.forEach(part -> list.add(entry(part)));
        document.add("parts", list);
        Gson pretty =
                new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
        return pretty.toJson(document) + "\n";
    }

    private static JsonObject entry(CollectedPart part) {
        JsonObject entry = new JsonObject();
        entry.addProperty("file", part.present() ? part.file() : "");
        entry.addProperty("what", part.part().what());
        entry.addProperty("outcome", part.outcome().name());
        entry.addProperty("why", part.why());
        entry.addProperty("tookMillis", part.took().toMillis());
        entry.addProperty("bytes", part.content().length);
        entry.addProperty("cut", part.cut());
        entry.addProperty("sha256", part.present() ? sha256(part.content()) : "");
        return entry;
    }

    private static String sha256(byte[] content) {
        return HexFormat.of().formatHex(Digest.sha256(content));
    }

    /**
     * Writes regular files as a tar archive of the format ustar (POSIX.1-1988): less code than a library would bring
     * into a program that starts in a fraction of a second.
     */
    private record TarWriter(OutputStream out, Instant at) {
        private static final int BLOCK = 512;
        private static final int LONGEST_NAME = 100;
        private static final int LONGEST_PREFIX = 155;

        /** Adds a file for its owner alone. Its name is ASCII; beyond 100 bytes it needs directories, of 155 at most. */
        void file(String name, byte[] content) throws IOException {
            byte[] header = new byte[BLOCK];
            int cut = cut(name);
            text(header, 0, LONGEST_NAME, name.substring(cut));
            text(header, 345, LONGEST_PREFIX, cut == 0 ? "" : name.substring(0, cut - 1));
            octal(header, 100, 8, 0600);
            octal(header, 108, 8, 0);
            octal(header, 116, 8, 0);
            octal(header, 124, 12, content.length);
            octal(header, 136, 12, at.getEpochSecond());
            header[156] = '0';
            text(header, 257, 6, "ustar");
            text(header, 263, 2, "00");
            // the sum is counted with its own field as blanks
            Arrays.fill(header, 148, 156, (byte) ' ');
            int sum = 0;
            for (byte b : header) {
                sum += b & 0xff;
            }
            octal(header, 148, 7, sum);
            out.write(header);
            out.write(content);
            out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
        }

        /** Two empty blocks are the end. */
        void end() throws IOException {
            out.write(new byte[2 * BLOCK]);
        }

        /** Where the last part of a name begins that fits; 0 if all of it fits. */
        private static int cut(String name) {
            return name.length() <= LONGEST_NAME ? 0 : name.indexOf('/', name.length() - LONGEST_NAME - 1) + 1;
        }

        private static void text(byte[] header, int at, int length, String text) throws IOException {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            if (bytes.length > length) {
                throw new IOException("the name is too long for the archive: " + text);
            }
            System.arraycopy(bytes, 0, header, at, bytes.length);
        }

        private static void octal(byte[] header, int at, int length, long number) throws IOException {
            String digits = Long.toOctalString(number);
            if (digits.length() > length - 1) {
                throw new IOException("the number is too large for the archive: " + number);
            }
            text(header, at, length, "0".repeat(length - 1 - digits.length()) + digits);
        }
    }
}
