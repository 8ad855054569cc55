package io.enipam.daemon.plugin.load;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The jars of one plugin: a jar, or all jars of a directory. Symbolic links are followed, so that a directory of plugins may be
 * one of links.
 *
 * @param source the jar or the directory
 * @param jars in the order in which classes are looked for
 */
record PluginFiles(Path source, List<Path> jars) {
    private static final int MOST_JARS = 100;
    private static final int LONGEST_MANIFEST = 64 << 10;
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    PluginFiles {
        jars = List.copyOf(jars);
    }

    /** What a person calls it while its manifest is unread. */
    String name() {
        return String.valueOf(source.getFileName()).replaceAll("\\.jar$", "");
    }

    /** The plugins of a directory of plugins. */
    static List<PluginFiles> in(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<PluginFiles> plugins = new ArrayList<>();
        try (Stream<Path> children = Files.list(directory)) {
            for (Path child : children.sorted().toList()) {
                boolean hidden = child.getFileName().toString().startsWith(".");
                if (!hidden && (Files.isDirectory(child) || isJar(child))) {
                    plugins.add(at(child));
                }
            }
        }
        return plugins;
    }

    /** The plugin at a path. */
    static PluginFiles at(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return new PluginFiles(path, List.of(path));
        }
        try (Stream<Path> children = Files.list(path)) {
            return new PluginFiles(
                    path, children.filter(PluginFiles::isJar).sorted().toList());
        }
    }

    private static boolean isJar(Path path) {
        return path.getFileName().toString().endsWith(".jar") && Files.isRegularFile(path);
    }

    /** The manifest of the one jar that says it is a plugin. */
    PluginManifest manifest() throws PluginRejection {
        if (jars.isEmpty()) {
            throw new PluginRejection("there is no jar in it; put the plugin's jar there, and the jars it needs");
        }
        if (jars.size() > MOST_JARS) {
            throw new PluginRejection("there are " + jars.size() + " jars in it, and " + MOST_JARS + " are allowed");
        }
        List<Manifest> mains = new ArrayList<>();
        for (Path jar : jars) {
            manifest(jar)
                    .filter(manifest -> manifest.getMainAttributes().getValue(PluginManifest.ID) != null)
                    .ifPresent(mains::add);
        }
        if (mains.size() != 1) {
            throw new PluginRejection(
                    mains.isEmpty()
                            ? "no manifest of it has a " + PluginManifest.ID + ", so it is no plugin of enipam's"
                            : mains.size() + " jars of it have a " + PluginManifest.ID
                                    + "; give each plugin a directory of its own");
        }
        return PluginManifest.of(mains.get(0));
    }

    private static Optional<Manifest> manifest(Path jar) throws PluginRejection {
        try (JarFile file = new JarFile(jar.toFile())) {
            ZipEntry entry = file.getEntry(JarFile.MANIFEST_NAME);
            if (entry == null) {
                return Optional.empty();
            }
            try (InputStream in = file.getInputStream(entry)) {
                byte[] bytes = in.readNBytes(LONGEST_MANIFEST + 1);
                if (bytes.length > LONGEST_MANIFEST) {
                    throw new PluginRejection("the manifest of " + jar.getFileName() + " is longer than 64 KiB");
                }
                return Optional.of(new Manifest(new ByteArrayInputStream(bytes)));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new PluginRejection(jar.getFileName() + " cannot be read as a jar: " + e.getMessage(), e);
        }
    }

    /**
     * Refuses what somebody else may replace: code that runs as the daemon's user shall be writable by its owner alone.
     */
    void requireSafe() throws PluginRejection {
        List<Path> all = new ArrayList<>(jars);
        all.add(source);
        for (Path path : all) {
            try {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
                if (permissions.stream().anyMatch(OTHERS_WRITE::contains)) {
                    throw new PluginRejection("others than its owner may write " + path
                            + ", and what is in it runs with the daemon's rights: chmod go-w " + path);
                }
            } catch (IOException e) {
                throw new PluginRejection("the permissions of " + path + " cannot be read: " + e.getMessage(), e);
            } catch (UnsupportedOperationException e) {
                throw new PluginRejection(path + " is on a file system without permissions", e);
            }
        }
    }
}
