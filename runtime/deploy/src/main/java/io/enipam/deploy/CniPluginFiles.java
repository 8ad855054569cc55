package io.enipam.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The CNI plugin from the build: a static program in C, or a script with a jar beside it. */
final class CniPluginFiles {
    private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

    /** Offset of the machine type in an ELF file, in the byte order of all machines supported here. */
    private static final int MACHINE = 18;

    private static final Map<Integer, String> ARCHITECTURES = Map.of(62, "amd64", 183, "arm64");

    private CniPluginFiles() {}

    /** All its files; none if it is not built. */
    static List<Path> filesIn(Path directory) {
        return Stream.of("enipam-cni", "enipam-cni.jar", "enipam-ipam")
                .map(directory::resolve)
                .filter(Files::isRegularFile)
                .toList();
    }

    /**
     * A warning about the plugin before it is deployed to nodes; none if it fits the image.
     *
     * @param architecture of the image, as in {@code amd64}
     * @throws IOException if it is for another machine: no node of that image could run it
     */
    static Optional<String> remark(Path directory, String architecture) throws IOException {
        Path front = directory.resolve("enipam-cni");
        if (!Files.isRegularFile(front)) {
            return Optional.of("no CNI front is built, and this image serves no pods");
        }
        byte[] head;
        try (InputStream in = Files.newInputStream(front)) {
            head = in.readNBytes(MACHINE + 2);
        }
        if (head.length < MACHINE + 2 || !Arrays.equals(head, 0, ELF.length, ELF, 0, ELF.length)) {
            return Optional.of("its CNI front is the one in Java, so the nodes need a Java 17 on PATH;"
                    + " built where a C compiler is, it needs nothing there");
        }
        int machine = (head[MACHINE] & 0xff) | (head[MACHINE + 1] & 0xff) << 8;
        String built = ARCHITECTURES.getOrDefault(machine, "machine " + machine);
        if (!built.equals(architecture)) {
            throw new IOException("the CNI front is for " + built + " and the image for " + architecture
                    + ": name a compiler for it by -Denipam.cni.cc, as in aarch64-linux-gnu-gcc");
        }
        return Optional.empty();
    }
}
