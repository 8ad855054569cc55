package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.sdk.IpamPlugin;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the files of plugins, opening none: first those that were named, then those of the directory, then those of the
 * class path, and each only once.
 */
final class PluginFinder {
    static final int MOST_JARS = 100;
    static final String SERVICE = "META-INF/services/" + IpamPlugin.class.getName();

    private final List<PluginFiles> found = new ArrayList<>();
    private final List<RejectedPlugin> rejected = new ArrayList<>();
    private final Set<Path> seen = new HashSet<>();

    private PluginFinder() {}

    /** What was found; a place that cannot be looked into is among the rejected. */
    record Found(List<PluginFiles> plugins, List<RejectedPlugin> rejected) {}

    static Found find(PluginSearchPath places) {
        PluginFinder finder = new PluginFinder();
        places.named().forEach(path -> finder.add(path, List.of()));
        places.directory().ifPresent(finder::addChildren);
        finder.addClassPath(places.classPath());
        return finder.found();
    }

    static Found examples(PluginSearchPath places) {
        PluginFinder finder = new PluginFinder();
        places.examples().forEach(path -> finder.add(path, List.of()));
        return finder.found();
    }

    private Found found() {
        return new Found(List.copyOf(found), List.copyOf(rejected));
    }

    private void addChildren(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try {
            List<Path> holder = List.of(directory.toRealPath());
            for (Path child : children(directory)) {
                if (Files.isDirectory(child) || isJar(child)) {
                    add(child, holder);
                }
            }
        } catch (IOException e) {
            reject(directory, "the directory of plugins cannot be read: " + IoReason.of(e));
        }
    }

    private void addClassPath(ClassLoader classPath) {
        try {
            for (URL service : Collections.list(classPath.getResources(SERVICE))) {
                Optional<Path> jar = jarOf(service);
                if (jar.isPresent()) {
                    add(jar.get(), List.of());
                }
            }
        } catch (IOException e) {
            reject(Path.of("class-path"), "the class path cannot be searched for plugins: " + IoReason.of(e));
        }
    }

    private void add(Path source, List<Path> holders) {
        try {
            if (!Files.exists(source)) {
                throw new PluginLoadException(source + ": there is no such file; name a jar or a directory of jars");
            }
            Path real = source.toRealPath();
            if (seen.add(real)) {
                found.add(Files.isDirectory(real) ? folder(source, real, holders) : jar(source, real, holders));
            }
        } catch (IOException e) {
            reject(source, source + " cannot be read: " + IoReason.of(e));
        } catch (PluginLoadException e) {
            reject(source, e.describe());
        }
    }

    private static PluginFiles jar(Path source, Path real, List<Path> holders) throws PluginLoadException {
        if (!Files.isRegularFile(real)) { // opening a named pipe would wait for its writer
            throw new PluginLoadException(
                    source + " is neither a file nor a directory; name a jar or a directory of jars");
        }
        return new PluginFiles(source, List.of(real), holders, List.of(source));
    }

    private static PluginFiles folder(Path source, Path real, List<Path> holders)
            throws IOException, PluginLoadException {
        List<Path> jars = new ArrayList<>();
        List<Path> named = new ArrayList<>(List.of(source));
        for (Path child : children(real)) {
            if (isJar(child) && Files.isRegularFile(child)) {
                jars.add(child.toRealPath());
                named.add(child);
            }
        }
        if (jars.isEmpty()) {
            throw new PluginLoadException(
                    source + " holds no *.jar; put the plugin's jars there, or remove the directory");
        }
        if (jars.size() > MOST_JARS) {
            throw new PluginLoadException(source + " holds " + jars.size() + " jars, and " + MOST_JARS
                    + " are the most a plugin may have; is it one plugin's directory?");
        }
        List<Path> all = new ArrayList<>(holders);
        all.add(real);
        return new PluginFiles(source, jars, all, named);
    }

    private static List<Path> children(Path directory) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, PluginFinder::isVisible)) {
            stream.forEach(children::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        Collections.sort(children);
        return children;
    }

    private static boolean isVisible(Path path) {
        return !String.valueOf(path.getFileName()).startsWith(".");
    }

    private static boolean isJar(Path path) {
        return String.valueOf(path.getFileName()).endsWith(".jar");
    }

    private static Optional<Path> jarOf(URL service) throws IOException {
        if (!service.getProtocol().equals("jar")) {
            return Optional.empty();
        }
        // a connection that is not opened holds nothing; it only takes the address apart
        URL jar = ((JarURLConnection) service.openConnection()).getJarFileURL();
        try {
            URI address = jar.toURI();
            return address.getScheme().equals("file") ? Optional.of(Path.of(address)) : Optional.empty();
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw new IOException(jar + " is no file's address", e);
        }
    }

    private void reject(Path source, String cause) {
        rejected.add(new RejectedPlugin(PluginFiles.nameOf(source), source, OneLine.of(cause)));
    }

    /**
     * The files of one plugin, not yet opened.
     *
     * @param source the jar or the directory, as it was found
     * @param jars real paths, in the order in which classes are looked for
     * @param holders real paths of the directories in which a jar would count as a part of this plugin
     * @param named the same files and directories by the paths on which they were found: symbolic links may lead through others
     */
    record PluginFiles(Path source, List<Path> jars, List<Path> holders, List<Path> named) {
        /** What it is called until its id is known. */
        String name() {
            return nameOf(source);
        }

        /** What changes when one of the jars is replaced: their names, sizes and times. */
        String fingerprint() {
            return jars.stream().map(PluginFiles::fingerprint).collect(Collectors.joining(" "));
        }

        private static String fingerprint(Path jar) {
            try {
                BasicFileAttributes is = Files.readAttributes(jar, BasicFileAttributes.class);
                return jar.getFileName() + ":" + is.size() + ":"
                        + is.lastModifiedTime().toMillis();
            } catch (IOException e) {
                return jar.getFileName() + ": " + IoReason.of(e);
            }
        }

        static String nameOf(Path source) {
            Path last = source.getFileName();
            return OneLine.of(String.valueOf(last == null ? source : last));
        }
    }
}
