package io.enipam.deploy;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Which files of a built checkout are in the image, and where: at the same places below {@code /opt/enipam} as in the
 * checkout, but each jar once, in {@code lib}, with a list of the class path for each program, and of the classes that a
 * class-data archive of it holds. Not thread-safe.
 */
final class ImageContents {
    static final String HOME = "/opt/enipam";

    /** The programs, by their directory in the checkout. */
    static final Map<String, List<String>> PROGRAMS = new TreeMap<>(Map.of(
            "runtime/bin",
            List.of("enipamd", "enipam-archive", "enipam-cni-install", "launch.sh"),
            "shell/bin",
            List.of("enipam")));

    /** The plugin that a daemon of role CLUSTER is told of; no other daemon loads it. */
    static final String NODE_IPAM = "cluster-plugins/node-ipam";

    private static final List<String> MODULES = List.of("runtime/daemon", "shell");
    private static final FilePermissions EXECUTABLE = FilePermissions.fromOctalString("755");
    private static final FilePermissions READABLE = FilePermissions.fromOctalString("644");

    private final Path home;
    private final Path scratch;
    private final Map<String, Path> jars = new TreeMap<>();

    /**
     * @param home the built checkout
     * @param scratch an empty directory for generated files
     */
    ImageContents(Path home, Path scratch) {
        this.home = home;
        this.scratch = scratch;
    }

    /**
     * The layers, those that change least first: a new version of enipam changes only the last two, and nodes have the
     * others.
     *
     * @throws IOException if a part is not built; the message names it
     */
    List<FileEntriesLayer> layers() throws IOException {
        List<Path> lists = new ArrayList<>();
        for (String module : MODULES) {
            lists.addAll(listed(module));
        }
        FileEntriesLayer.Builder libraries = FileEntriesLayer.builder().setName("libraries");
        FileEntriesLayer.Builder ours = FileEntriesLayer.builder().setName("enipam");
        jars.forEach((name, file) ->
                (name.startsWith("enipam-") ? ours : libraries).addEntry(file, in("lib/" + name), READABLE));
        lists.forEach(list -> ours.addEntry(list, in("lib/" + list.getFileName()), READABLE));
        for (Path jar : jarsIn(present(home.resolve("plugins-examples/node-ipam/target/plugin")))) {
            ours.addEntry(jar, in(NODE_IPAM + "/" + name(jar)), READABLE);
        }
        return List.of(libraries.build(), ours.build(), programs());
    }

    private FileEntriesLayer programs() throws IOException {
        FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName("programs");
        Path onPath = present(home.resolve("runtime/deploy/image/on-path"));
        for (Map.Entry<String, List<String>> directory : PROGRAMS.entrySet()) {
            for (String program : directory.getValue()) {
                Path file = present(home.resolve(directory.getKey()).resolve(program));
                layer.addEntry(file, in(directory.getKey() + "/" + program), EXECUTABLE);
                if (!program.contains(".")) {
                    layer.addEntry(onPath, AbsoluteUnixPath.get("/usr/local/bin/" + program), EXECUTABLE);
                }
            }
        }
        layer.addEntry(
                present(home.resolve("runtime/deploy/cni/10-enipam.conflist")), in("cni/10-enipam.conflist"), READABLE);
        layer.addEntry(Files.createDirectory(scratch.resolve("bin")), in("cni/bin"), EXECUTABLE);
        Path front = home.resolve("runtime/cni/target/bin");
        for (Path file : CniPluginFiles.filesIn(front)) {
            layer.addEntry(file, in("cni/bin/" + name(file)), name(file).endsWith(".jar") ? READABLE : EXECUTABLE);
        }
        for (String built :
                List.of("runtime/datapath/target/bin/enipam-netlink", "sdk/ranges/target/bin/enipam-flock")) {
            Path program = home.resolve(built);
            if (Files.isRegularFile(program)) {
                layer.addEntry(program, in("lib/" + name(program)), EXECUTABLE);
            }
        }
        // for derived images: the daemon loads each entry as a plugin
        layer.addEntry(Files.createDirectory(scratch.resolve("plugins")), in("plugins"), EXECUTABLE);
        return layer.build();
    }

    /**
     * Collects a module's jars. Their names in the order of its class path, a checksum of them all, since files of an image
     * have no times that tell two images apart, and the list of classes, if this build has made one.
     */
    private List<Path> listed(String module) throws IOException {
        Path target = home.resolve(module).resolve("target");
        List<Path> own = jarsIn(target).stream()
                .filter(jar -> name(jar).matches("enipam-[a-z]+-[0-9][0-9.]*\\.jar"))
                .toList();
        List<Path> libraries = jarsIn(target.resolve("lib"));
        if (own.size() != 1 || libraries.isEmpty()) {
            throw new IOException(module + " is not built, or more than once: " + own + " in " + target);
        }
        List<Path> all = Stream.concat(own.stream(), libraries.stream()).toList();
        for (Path jar : all) {
            Path other = jars.putIfAbsent(name(jar), jar);
            if (other != null && Files.mismatch(other, jar) >= 0) {
                throw new IOException(other + " and " + jar + " have one name and are not the same");
            }
        }
        String program = name(Path.of(module));
        List<Path> made = new ArrayList<>();
        made.add(Files.write(
                scratch.resolve(program + ".jars"),
                all.stream().map(ImageContents::name).toList()));
        made.add(Files.writeString(scratch.resolve(program + ".sum"), sum(all) + "\n"));
        for (String list : List.of("classes", "commands")) {
            Path classes = target.resolve("archive").resolve(list);
            if (Files.exists(classes)) {
                made.add(Files.copy(classes, scratch.resolve(program + "." + list)));
            }
        }
        return made;
    }

    /** The SHA-256 of files one after the other, in hexadecimal. */
    private static String sum(List<Path> files) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files) {
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static List<Path> jarsIn(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> name(file).endsWith(".jar"))
                    .sorted(Comparator.comparing(ImageContents::name))
                    .toList();
        }
    }

    private static Path present(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException(file + " is not there");
        }
        return file;
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    private static AbsoluteUnixPath in(String path) {
        return AbsoluteUnixPath.get(HOME + "/" + path);
    }
}
