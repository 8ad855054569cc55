package io.enipam.datapath.iproute;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The path of a pod's network namespace, as a caller gives it: checked before anything is done with it, since what is done with
 * it is done as root.
 */
public final class Netns {
    private static final Pattern PLAIN = Pattern.compile("/[A-Za-z0-9_.,:/@+=-]{1,1023}");
    /** The file of the namespace of this process. */
    public static final Path OWN = Path.of("/proc/self/ns/net");

    private Netns() {}

    /** Why the path cannot be used; empty text if it can. */
    public static String objection(String path) {
        return objection(path, OWN);
    }

    /**
     * The same where another file stands for the node's own namespace.
     *
     * <p>A namespace's file is known by the file system it is on, that of the kernel's namespaces, and so is this process's own:
     * by its number there. Links are followed in {@code /proc} alone, where the kernel makes them.
     */
    public static String objection(String path, Path own) {
        if (!PLAIN.matcher(path).matches() || path.contains("//")) {
            return "it is not an absolute path of letters, digits and /_.,:@+=-";
        }
        Path file = Path.of(path);
        if (!file.equals(file.normalize())) {
            return "it has . or .. in it";
        }
        boolean magic = path.matches("/proc/(\\d+|self)(/task/\\d+)?/ns/net");
        try {
            if (!magic && Files.isSymbolicLink(file)) {
                return "it is a symbolic link";
            }
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return "there is no such file";
            }
            if (!Files.getAttribute(file, "unix:dev").equals(Files.getAttribute(own, "unix:dev"))) {
                return "it is no network namespace";
            }
            return Files.getAttribute(file, "unix:ino").equals(Files.getAttribute(own, "unix:ino"))
                    ? "it is the node's own network namespace"
                    : "";
        } catch (IOException e) {
            return "it cannot be looked at: " + e.getMessage();
        }
    }

    /** Whether it can be entered now. */
    public static boolean usable(String path) {
        return objection(path).isEmpty();
    }
}
