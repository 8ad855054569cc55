import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.jar.Attributes;
import java.util.jar.Manifest;

/**
 * Removes signatures from the jars of a directory, and from their manifests the digests of entries. The first class of a
 * signed jar has the JVM read its manifest whole, compare its digests and keep them: 0.15 s of each start and 4 MiB of heap
 * for a signature that nothing asks for. A jar keeps its time, which the class-data archive goes by.
 *
 * <p>The build runs it as a source file on the jars that it has copied. Argument: the directory.
 */
final class UnsignJars {
    private UnsignJars() {}

    public static void main(String[] args) throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of(args[0]), "*.jar")) {
            for (Path jar : jars) {
                FileTime time = Files.getLastModifiedTime(jar);
                try (FileSystem files = FileSystems.newFileSystem(jar)) {
                    unsign(files.getPath("META-INF"));
                }
                Files.setLastModifiedTime(jar, time);
            }
        }
    }

    private static void unsign(Path meta) throws IOException {
        Path file = meta.resolve("MANIFEST.MF");
        if (!Files.exists(file)) {
            return;
        }
        FileTime time = Files.getLastModifiedTime(file);
        Manifest manifest;
        try (InputStream in = Files.newInputStream(file)) {
            manifest = new Manifest(in);
        }
        if (!manifest.getEntries().values().removeIf(UnsignJars::saysOnlyDigests)) {
            return;
        }
        try (DirectoryStream<Path> signatures = Files.newDirectoryStream(meta, "*.{SF,RSA,DSA,EC}")) {
            for (Path signature : signatures) {
                Files.delete(signature);
            }
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            manifest.write(out);
        }
        Files.setLastModifiedTime(file, time);
    }

    private static boolean saysOnlyDigests(Attributes entry) {
        return entry.keySet().stream().allMatch(name -> name.toString().endsWith("-Digest"));
    }
}
