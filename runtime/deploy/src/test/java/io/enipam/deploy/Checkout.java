package io.enipam.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/** A checkout with the real scripts and manifests, and jars of a few bytes. */
final class Checkout {
    /** The project's root. */
    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private final Path home;

    private Checkout(Path home) {
        this.home = home;
    }

    /** Makes one, built. */
    static Checkout in(Path directory) throws IOException {
        Checkout made = new Checkout(Files.createDirectories(directory));
        for (Map.Entry<String, List<String>> programs : ImageContents.PROGRAMS.entrySet()) {
            for (String program : programs.getValue()) {
                made.copy(programs.getKey() + "/" + program);
            }
        }
        made.copy("runtime/deploy/image/on-path");
        made.copy("runtime/deploy/cni/10-enipam.conflist");
        made.write("runtime/daemon/target/enipam-daemon-0.1.0.jar", "daemon");
        made.write("runtime/daemon/target/lib/enipam-engine-0.1.0.jar", "engine");
        made.write("runtime/daemon/target/lib/enipam-protocol-0.1.0.jar", "protocol");
        made.write("runtime/daemon/target/lib/netty-1.jar", "netty");
        made.write("runtime/daemon/target/archive/classes", "java/lang/Object\n");
        made.write("shell/target/enipam-shell-0.1.0.jar", "shell");
        made.write("shell/target/lib/enipam-protocol-0.1.0.jar", "protocol");
        made.write("shell/target/lib/jline-3.jar", "jline");
        made.write("shell/target/lib/netty-1.jar", "netty");
        made.write("plugins-examples/node-ipam/target/plugin/enipam-example-node-ipam-0.1.0.jar", "plugin");
        made.write("plugins-examples/node-ipam/target/plugin/jackson-1.jar", "jackson");
        // what a build leaves, too, and no node needs
        made.write("runtime/daemon/target/enipam-daemon-0.1.0-tests.jar", "tests");
        made.write("runtime/daemon/target/lib/notes.txt", "notes");
        return made;
    }

    Path home() {
        return home;
    }

    Path write(String file, String text) throws IOException {
        Path path = home.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, text);
    }

    private void copy(String file) throws IOException {
        Path to = home.resolve(file);
        Files.createDirectories(to.getParent());
        Files.copy(ROOT.resolve(file), to, StandardCopyOption.COPY_ATTRIBUTES);
    }
}
