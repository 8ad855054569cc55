package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import io.enipam.pluginhost.load.PluginFinder.PluginFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.osgi.framework.Version;
import org.osgi.framework.VersionRange;

/** What the jars of a plugin say of it, before any class of it is loaded. */
record PluginIdentity(List<JarMetadata> jars, JarMetadata main, String id) {
    private static final String ID = "Plugin-Id";
    private static final String VERSION = "Plugin-Version";
    private static final String SDK = "Sdk-Version";
    private static final String AS_IT_MUST =
            "; the plugin's build must write " + ID + ", " + VERSION + " and " + SDK + " there";
    private static final Pattern ID_FORM = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    /** Semantic Versioning 2.0.0, sections 2, 9 and 10. */
    private static final Pattern VERSION_FORM = Pattern.compile(
            "(?<release>(0|[1-9]\\d{0,8})(\\.(0|[1-9]\\d{0,8})){2})(-[0-9A-Za-z.-]{1,64})?(\\+[0-9A-Za-z.-]{1,64})?");

    /** Finds the main jar, the only one with a {@code Plugin-Id}, and reads the id. */
    static PluginIdentity of(PluginFiles files) throws PluginLoadException {
        List<JarMetadata> jars = new ArrayList<>();
        for (Path jar : files.jars()) {
            jars.add(JarMetadata.read(jar));
        }
        List<JarMetadata> claiming =
                jars.stream().filter(jar -> jar.main().getValue(ID) != null).toList();
        if (claiming.isEmpty()) {
            throw files.jars().size() == 1
                    ? missing(jars.get(0), ID)
                    : new PluginLoadException("no manifest of its jars has a " + ID + AS_IT_MUST);
        }
        if (claiming.size() > 1) {
            throw new PluginLoadException("several jars have a " + ID + ", "
                    + claiming.stream()
                            .map(jar ->
                                    jar.main().getValue(ID) + " in " + jar.jar().getFileName())
                            .collect(Collectors.joining(", "))
                    + "; give each plugin a directory of its own");
        }
        JarMetadata main = claiming.get(0);
        return new PluginIdentity(
                List.copyOf(jars), main, wellFormed(main, ID, ID_FORM, "a-z, 0-9 and -, a letter first, at most 63"));
    }

    /** The rest of the manifest, if the plugin works with this SDK. */
    PluginManifest manifest(String sdkVersion) throws PluginLoadException {
        String version = wellFormed(main, VERSION, VERSION_FORM, "a semantic version such as 1.0.0");
        String text = attribute(main, SDK);
        VersionRange range = range(text);
        if (!range.includes(release(sdkVersion))) {
            throw new PluginLoadException("it works with versions " + text + " of the SDK, and this daemon has "
                    + sdkVersion + "; get a build of the plugin for this SDK, or another daemon");
        }
        return new PluginManifest(id, version, text);
    }

    /** Makes sure that there is exactly one entry point, before {@link java.util.ServiceLoader} is asked for it. */
    void requireOneEntryPoint() throws PluginLoadException {
        TreeSet<String> classes = new TreeSet<>();
        jars.forEach(jar -> classes.addAll(jar.services()));
        if (classes.isEmpty()) {
            throw new PluginLoadException("no class is named in " + PluginFinder.SERVICE
                    + "; the plugin's build must write its entry point there");
        }
        if (classes.size() > 1) {
            throw new PluginLoadException(PluginFinder.SERVICE + " names " + classes.size() + " classes, "
                    + String.join(", ", classes) + "; a plugin has one entry point");
        }
    }

    /**
     * The release a version is, or is on its way to: {@code 0.1.0} for {@code 0.1.0-SNAPSHOT}, which has the SDK of 0.1 and
     * would be below every range that starts there.
     *
     * @throws IllegalArgumentException if it is not a semantic version
     */
    static Version release(String version) {
        Matcher form = VERSION_FORM.matcher(version);
        if (!form.matches()) {
            throw new IllegalArgumentException("the SDK's version '" + version + "' is not a semantic version");
        }
        return Version.parseVersion(form.group("release"));
    }

    private static VersionRange range(String text) throws PluginLoadException {
        try {
            VersionRange range = new VersionRange(text);
            // a single version would mean "this or any later one", which no build can promise
            if (range.getRight() != null && !range.isEmpty()) {
                return range;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new PluginLoadException(SDK + " '" + text + "' is not a range with two ends, such as [0.1,0.2)");
    }

    private static String wellFormed(JarMetadata jar, String name, Pattern form, String allowed)
            throws PluginLoadException {
        String value = attribute(jar, name);
        if (!form.matcher(value).matches()) {
            throw new PluginLoadException(name + " '" + value + "' in the manifest of " + jar.jar()
                    + " is not allowed; allowed is " + allowed);
        }
        return value;
    }

    private static String attribute(JarMetadata jar, String name) throws PluginLoadException {
        String value = jar.main().getValue(name);
        if (value == null) {
            throw missing(jar, name);
        }
        return value.strip();
    }

    private static PluginLoadException missing(JarMetadata jar, String name) {
        return new PluginLoadException("the manifest of " + jar.jar() + " has no " + name + AS_IT_MUST);
    }

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
}
