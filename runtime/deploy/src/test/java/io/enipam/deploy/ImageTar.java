package io.enipam.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** What is in an image, read from its tar as {@code docker load} does. */
final class ImageTar {
    /**
     * A file or directory of a layer.
     *
     * @param path in the image, without a slash at its end
     * @param layer counted from the base's first
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them or writes to them
    record Entry(String path, int layer, int mode, boolean directory, Instant modified, long owner, byte[] bytes) {}

    private final JsonNode manifest;
    private final JsonNode config;
    private final List<Entry> entries = new ArrayList<>();

    private ImageTar(JsonNode manifest, JsonNode config) {
        this.manifest = manifest;
        this.config = config;
    }

    static ImageTar read(Path tar) throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        try (InputStream in = Files.newInputStream(tar);
                TarArchiveInputStream archive = new TarArchiveInputStream(in)) {
            for (TarArchiveEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                files.put(entry.getName(), archive.readAllBytes());
            }
        }
        ObjectMapper json = new ObjectMapper();
        JsonNode manifest = json.readTree(files.get("manifest.json")).get(0);
        ImageTar image = new ImageTar(
                manifest, json.readTree(files.get(manifest.get("Config").asText())));
        int layer = 0;
        for (JsonNode name : manifest.get("Layers")) {
            image.add(layer++, files.get(name.asText()));
        }
        return image;
    }

    private void add(int layer, byte[] packed) throws IOException {
        try (TarArchiveInputStream archive =
                new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(packed)))) {
            for (TarArchiveEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                entries.add(new Entry(
                        "/" + entry.getName().replaceFirst("^/", "").replaceFirst("/$", ""),
                        layer,
                        entry.getMode() & 0777,
                        entry.isDirectory(),
                        entry.getLastModifiedTime().toInstant(),
                        entry.getLongUserId(),
                        archive.readAllBytes()));
            }
        }
    }

    /** The image's configuration: what a container starts with. */
    JsonNode config() {
        return config.get("config");
    }

    String created() {
        return config.get("created").asText();
    }

    List<String> tags() {
        List<String> tags = new ArrayList<>();
        manifest.get("RepoTags").forEach(tag -> tags.add(tag.asText()));
        return tags;
    }

    /** Digests of the layers, the base's first. */
    List<String> layers() {
        List<String> layers = new ArrayList<>();
        config.get("rootfs").get("diff_ids").forEach(digest -> layers.add(digest.asText()));
        return layers;
    }

    /** All files and directories, a later layer's behind those of an earlier. */
    List<Entry> entries() {
        return List.copyOf(entries);
    }

    List<Entry> files() {
        return entries.stream().filter(entry -> !entry.directory()).toList();
    }

    Entry entry(String path) {
        return entries.stream()
                .filter(entry -> entry.path().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError(path + " is not in the image"));
    }

    /** Writes them all below a directory, as a container runtime does. */
    void unpack(Path directory) throws IOException {
        for (Entry entry : entries) {
            Path path = directory.resolve(entry.path().substring(1));
            if (entry.directory()) {
                Files.createDirectories(path);
            } else {
                Files.createDirectories(path.getParent());
                Files.write(path, entry.bytes());
                Files.setPosixFilePermissions(path, permissions(entry.mode()));
            }
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = PosixFilePermission.values();
        for (int i = 0; i < all.length; i++) {
            if ((mode & (0400 >> i)) != 0) {
                set.add(all[i]);
            }
        }
        return set;
    }
}
