package io.enipam.daemon.plugin.load;

import io.enipam.daemon.config.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Keeps a daemon of root from running code that others can replace: the jars, and the directories that hold them, may be
 * written by their owner alone. Symbolic links are followed, and what they lead to is looked at. Who the owner is, and
 * what is above those directories, is the administrator's business.
 */
final class ReplaceableFiles {
    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private final boolean root;
    private final Permissions permissions;

    ReplaceableFiles(boolean root, Permissions permissions) {
        this.root = root;
        this.permissions = permissions;
    }

    /** Reads the permissions of a file. */
    interface Permissions {
        Set<PosixFilePermission> of(Path file) throws IOException;
    }

    /** As the operating system has it. */
    static ReplaceableFiles ofThisProcess() {
        return new ReplaceableFiles(isRoot(), file -> Files.getPosixFilePermissions(file));
    }

    void refuse(PluginFiles files) throws PluginProblem {
        if (!root) {
            return;
        }
        List<Path> all = new ArrayList<>(files.holders());
        all.addAll(files.jars());
        for (Path file : all) {
            Set<PosixFilePermission> mode = mode(file);
            if (mode.stream().anyMatch(OF_OTHERS::contains)) {
                throw new PluginProblem(file + " can be written by others than its owner ("
                        + PosixFilePermissions.toString(mode) + "), and this daemon is root, which runs no code that"
                        + " others can replace; run: chmod go-w '" + file + "'");
            }
        }
    }

    private Set<PosixFilePermission> mode(Path file) throws PluginProblem {
        try {
            return permissions.of(file);
        } catch (IOException e) {
            throw new PluginProblem("who may write " + file + " cannot be told: " + IoReason.of(e));
        }
    }

    /** The process's own entry in proc(5) belongs to its effective user; one that cannot be told is taken for root. */
    private static boolean isRoot() {
        try {
            return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).intValue() == 0;
        } catch (IOException | UnsupportedOperationException e) {
            return true;
        }
    }
}
