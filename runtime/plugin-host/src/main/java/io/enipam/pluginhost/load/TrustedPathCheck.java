package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import io.enipam.pluginhost.load.PluginFinder.PluginFiles;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a daemon of root from running code that others can replace. On the way to a jar, from {@code /} on, along the
 * path as it was found and along the real one, each directory, symbolic link and file has to belong to a trusted user
 * and may be written by that user alone. A directory with the sticky bit, as {@code /tmp}, may be written by all, since
 * what lies in it and belongs to a trusted user can be renamed or removed by that user alone; but it cannot be a
 * plugin's own directory, to which all could add jars.
 *
 * <p>Trusted are root, the daemon's user, and the owner of the daemon's own program, who could replace that as well.
 *
 * <p>The jars are opened by their real paths afterwards. Only trusted users can change what those lead to, so what is
 * opened is what was looked at.
 */
public final class TrustedPathCheck {
    private static final Logger LOG = LoggerFactory.getLogger(TrustedPathCheck.class);

    private static final String RULE = "this daemon is root, which runs no code that others can replace";
    private static final int ROOT = 0;
    private static final int WRITE_OF_OTHERS = 022;
    private static final int STICKY = 01000;
    private static final int MOST_LINKS = 40;
    private static final int SHOWN = 3;

    private final boolean root;
    private final Set<Integer> trusted;

    /**
     * @param root whether the daemon is root: any other user runs what it likes
     * @param trusted user ids
     */
    TrustedPathCheck(boolean root, Set<Integer> trusted) {
        this.root = root;
        this.trusted = Set.copyOf(trusted);
    }

    /** As the operating system has it. */
    static TrustedPathCheck ofThisProcess() {
        Set<Integer> trusted = new HashSet<>(Set.of(ROOT));
        try {
            trusted.add((Integer) Files.getAttribute(
                    Path.of(TrustedPathCheck.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI()),
                    "unix:uid"));
        } catch (IOException | URISyntaxException | UnsupportedOperationException e) {
            LOG.debug("the owner of the daemon's program cannot be told", e);
        }
        return new TrustedPathCheck(isRoot(), trusted);
    }

    /**
     * Which parts of the class path and of the JDK others than root can replace; none where the daemon is not root.
     * Such code runs already, so nothing is refused for it.
     *
     * @return a line for each of the first, with what to run
     */
    public static List<String> onClassPath() {
        TrustedPathCheck strict = new TrustedPathCheck(isRoot(), Set.of(ROOT));
        return strict.complaints(Stream.concat(
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)),
                        Stream.of(System.getProperty("java.home")))
                .filter(entry -> !entry.isEmpty())
                .map(Path::of)
                .toList());
    }

    List<String> complaints(List<Path> files) {
        if (!root) {
            return List.of();
        }
        Set<String> complaints = new LinkedHashSet<>();
        Set<Path> seen = new HashSet<>();
        for (Path file : files) {
            try {
                walk(file, false, seen);
            } catch (PluginLoadException e) {
                complaints.add(e.describe());
            }
        }
        List<String> first = complaints.stream().limit(SHOWN).collect(Collectors.toList());
        if (complaints.size() > SHOWN) {
            first.add("and " + (complaints.size() - SHOWN) + " more of the class path");
        }
        return List.copyOf(first);
    }

    void refuse(PluginFiles files) throws PluginLoadException {
        if (!root) {
            return;
        }
        Set<Path> seen = new HashSet<>();
        for (Path holder : files.holders()) {
            walk(holder, true, seen);
        }
        for (Path file :
                Stream.concat(files.named().stream(), files.jars().stream()).toList()) {
            walk(file, false, seen);
        }
    }

    /**
     * Follows a path from {@code /} on, as the kernel does, and looks at each step of it that was not looked at before.
     */
    private void walk(Path path, boolean holder, Set<Path> seen) throws PluginLoadException {
        Path here = Path.of("/");
        Deque<Path> rest = new ArrayDeque<>();
        path.toAbsolutePath().forEach(rest::addLast);
        int links = 0;
        look(here, false, seen);
        while (!rest.isEmpty()) {
            String name = rest.removeFirst().toString();
            if (name.equals("..")) {
                here = here.getParent() == null ? here : here.getParent();
            } else if (!name.equals(".") && !name.isEmpty()) {
                Path next = here.resolve(name);
                look(next, holder && rest.isEmpty(), seen);
                if (Files.isSymbolicLink(next)) {
                    if (++links > MOST_LINKS) {
                        throw new PluginLoadException(path + " leads through too many symbolic links");
                    }
                    Path target = target(next);
                    here = target.isAbsolute() ? Path.of("/") : here;
                    for (int i = target.getNameCount() - 1; i >= 0; i--) {
                        rest.addFirst(target.getName(i));
                    }
                } else {
                    here = next;
                }
            }
        }
    }

    private static Path target(Path link) throws PluginLoadException {
        try {
            return Files.readSymbolicLink(link);
        } catch (IOException e) {
            throw new PluginLoadException(link + " cannot be followed: " + IoReason.of(e));
        }
    }

    /** @param holder whether it must not be written by others even with the sticky bit */
    private void look(Path file, boolean holder, Set<Path> seen) throws PluginLoadException {
        if (!holder && !seen.add(file)) {
            return;
        }
        Map<String, Object> attributes = attributes(file);
        int uid = (Integer) attributes.get("uid");
        int mode = (Integer) attributes.get("mode");
        if (!trusted.contains(uid)) {
            throw new PluginLoadException(file + " belongs to user " + Integer.toUnsignedString(uid) + ", and " + RULE
                    + "; run: chown -h root " + quoted(file));
        }
        boolean kept = (mode & STICKY) != 0 && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) && !holder;
        if ((mode & WRITE_OF_OTHERS) != 0 && !kept && !Files.isSymbolicLink(file)) {
            throw new PluginLoadException(file + " can be written by others than its owner ("
                    + PosixFilePermissions.toString(permissions(attributes)) + "), and " + RULE + "; run: chmod go-w "
                    + quoted(file));
        }
    }

    private static Map<String, Object> attributes(Path file) throws PluginLoadException {
        try {
            return Files.readAttributes(file, "unix:uid,mode,permissions", LinkOption.NOFOLLOW_LINKS);
        } catch (IOException | UnsupportedOperationException e) {
            throw new PluginLoadException("who may write " + file + " cannot be told: "
                    + (e instanceof IOException io ? IoReason.of(io) : OneLine.of(e)));
        }
    }

    @SuppressWarnings("unchecked") // as the view has them
    private static Set<PosixFilePermission> permissions(Map<String, Object> attributes) {
        return (Set<PosixFilePermission>) attributes.get("permissions");
    }

    /** For a POSIX shell. */
    private static String quoted(Path file) {
        return "'" + file.toString().replace("'", "'\\''") + "'";
    }

    /** The process's own entry in proc(5) belongs to its effective user; one that cannot be read is taken for root. */
    private static boolean isRoot() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == ROOT;
        } catch (IOException | UnsupportedOperationException e) {
            return true;
        }
    }
}
