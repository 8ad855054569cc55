import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * Gives the classes of a directory's jars that have a class file version below 50, as picocli's 49, that of Java 8, and the stack map
 * frames which it asks for. The JVM verifies older classes by another verifier, which is slow and not in an archive: an archive has
 * them unlinked if at all, and one whose classes are linked beforehand (JEP 483) leaves them out, with all that extends them. A jar
 * keeps its time, which the class-data archive goes by, and its code: what is added is derived from it.
 *
 * <p>The build runs it as a source file on the jars that it has copied, with their classes on the class path, and ASM. Argument: the
 * directory.
 */
final class FrameOldClasses {
    private FrameOldClasses() {}

    public static void main(String[] args) throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of(args[0]), "*.jar")) {
            for (Path jar : jars) {
                FileTime time = Files.getLastModifiedTime(jar);
                try (FileSystem files = FileSystems.newFileSystem(jar);
                        Stream<Path> all = Files.walk(files.getPath("/"))) {
                    List<Path> classes = all.filter(file -> file.toString().endsWith(".class"))
                            .filter(file -> !file.startsWith("/META-INF"))
                            .toList();
                    classes.forEach(FrameOldClasses::frame);
                }
                Files.setLastModifiedTime(jar, time);
            }
        }
    }

    /** The version of a class file: the number behind its magic one and its minor version. */
    private static int version(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            in.readInt();
            in.readUnsignedShort();
            return in.readUnsignedShort();
        }
    }

    private static void frame(Path file) {
        try {
            if (version(file) >= Opcodes.V1_6) {
                return;
            }
            ClassReader old = new ClassReader(Files.readAllBytes(file));
            ClassWriter framed = new ClassWriter(ClassWriter.COMPUTE_FRAMES);
            old.accept(
                    new ClassVisitor(Opcodes.ASM9, framed) {
                        @Override
                        public void visit(
                                int version,
                                int access,
                                String name,
                                String signature,
                                String superName,
                                String[] interfaces) {
                            super.visit(Opcodes.V1_8, access, name, signature, superName, interfaces);
                        }
                    },
                    ClassReader.SKIP_FRAMES);
            FileTime time = Files.getLastModifiedTime(file);
            Files.write(file, framed.toByteArray());
            Files.setLastModifiedTime(file, time);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
