package io.enipam.shell.bundle;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * What was collected, as files: the parts, the report, a manifest of all, and their checksums as {@code sha256sum -c} reads
 * them.
 *
 * @param node the node's name, or what there is of it
 * @param shell this shell's version
 * @param made when
 * @param parts in their order, also those of which there is no file
 * @param report the HTML document
 */
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

    /** The archive, a gzipped tar. */
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
        return new GsonBuilder()
                        .setPrettyPrinting()
                        .disableHtmlEscaping()
                        .create()
                        .toJson(document) + "\n";
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

    static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
