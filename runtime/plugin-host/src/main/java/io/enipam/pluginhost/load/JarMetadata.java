package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import io.enipam.pluginhost.load.PluginLoader.PluginLoadException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * What is read of a jar before any class of it is loaded. What a jar unpacks to is bounded here, since a few bytes of it
 * can unpack to gigabytes.
 *
 * @param main the main attributes of its manifest; none without a manifest
 * @param services the classes it offers as entry points
 */
record JarMetadata(Path jar, Attributes main, List<String> services) {
    /** Of the main attributes and of the services; far more than either needs. */
    static final int LARGEST_HEAD = 64 * 1024;

    /** Of a whole manifest, which has some 150 bytes for each file of a signed jar. */
    static final int LARGEST_MANIFEST = 8 * 1024 * 1024;

    private static final Pattern BLANK_LINE = Pattern.compile("(?>\r\n|\r|\n){2}");

    static JarMetadata read(Path jar) throws PluginLoadException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return new JarMetadata(jar, mainAttributes(jar, zip), services(jar, zip));
        } catch (IOException | IllegalArgumentException e) {
            String reason = e instanceof IOException io ? IoReason.of(io) : OneLine.of(e);
            throw new PluginLoadException(jar + " cannot be read as a jar: " + reason + "; build or copy it again");
        }
    }

    private static Attributes mainAttributes(Path jar, ZipFile zip) throws IOException, PluginLoadException {
        Attributes main = new Attributes();
        for (ZipEntry entry : zip.stream().filter(JarMetadata::isManifest).toList()) {
            // bytes as characters: where the first section ends is the same in UTF-8
            String text = new String(bounded(jar, zip, entry, LARGEST_MANIFEST), StandardCharsets.ISO_8859_1);
            Matcher blank = BLANK_LINE.matcher(text);
            String head = blank.find() ? text.substring(0, blank.end()) : text;
            if (head.length() > LARGEST_HEAD) {
                throw tooLarge(jar, entry, LARGEST_HEAD);
            }
            byte[] bytes = head.getBytes(StandardCharsets.ISO_8859_1);
            main.putAll(new Manifest(new ByteArrayInputStream(bytes)).getMainAttributes());
        }
        return main;
    }

    /** As {@link JarFile} does, whatever the case of its letters. */
    private static boolean isManifest(ZipEntry entry) {
        return entry.getName().equalsIgnoreCase(JarFile.MANIFEST_NAME);
    }

    private static List<String> services(Path jar, ZipFile zip) throws IOException, PluginLoadException {
        ZipEntry entry = zip.getEntry(PluginFinder.SERVICE);
        if (entry == null) {
            return List.of();
        }
        return new String(bounded(jar, zip, entry, LARGEST_HEAD), StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceFirst("#.*", "").strip())
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static byte[] bounded(Path jar, ZipFile zip, ZipEntry entry, int most)
            throws IOException, PluginLoadException {
        try (InputStream in = zip.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw tooLarge(jar, entry, most);
            }
            return bytes;
        }
    }

    private static PluginLoadException tooLarge(Path jar, ZipEntry entry, int most) {
        return new PluginLoadException(entry.getName() + " of " + jar + " is larger than " + most / 1024
                + " KiB; no plugin needs that, so it is not read");
    }
}
