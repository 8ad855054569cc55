package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.FileRights.Modes.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The files whose rights matter: a writer of the database gives away addresses, a client of the socket may change
 * things.
 *
 * @param database its directory
 */
public record FileRights(Path socket, Path database, Path audit) {
    private static final Set<PosixFilePermission> SOCKET = PosixFilePermissions.fromString("rw-rw----");
    /** Readable for others, since secrets are in no record; writable for the owner alone. */
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwxr-xr-x");

    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> AUDIT = PosixFilePermissions.fromString("rw-------");

    /** As they are; a file that is gone is not among them. */
    public Modes look() throws IOException {
        List<Mode> modes = new ArrayList<>();
        add("socket", socket, SOCKET, PosixFilePermissions.fromString("rw-------"), modes);
        add("database", database, DIRECTORY, OWNERS, modes);
        add("audit log", audit, AUDIT, AUDIT, modes);
        return new Modes(modes);
    }

    private static void add(
            String what, Path path, Set<PosixFilePermission> allowed, Set<PosixFilePermission> needed, List<Mode> modes)
            throws IOException {
        try {
            modes.add(new Mode(what, path.toString(), Files.getPosixFilePermissions(path), allowed, needed));
        } catch (NoSuchFileException e) {
            // its user reports it
        }
    }

    /** Puts right what is wrong. Returns what was done, or would be. */
    public List<String> mend(boolean dryRun) throws IOException {
        List<String> steps = new ArrayList<>();
        for (Mode mode : look().modes()) {
            if (mode.wrong()) {
                Set<PosixFilePermission> right = EnumSet.copyOf(mode.has());
                right.addAll(mode.needed());
                right.retainAll(mode.allowed());
                if (!dryRun) {
                    Files.setPosixFilePermissions(Path.of(mode.path()), right);
                }
                steps.add((dryRun ? "would change " : "changed ") + mode.path() + " from " + mode.shown() + " to "
                        + PosixFilePermissions.toString(right));
            }
        }
        return steps;
    }

    public record Modes(List<Mode> modes) {
        /**
         * @param what what it is: {@code socket}, {@code database}
         * @param allowed rights it may have at most
         * @param needed rights it has to have
         */
        public record Mode(
                String what,
                String path,
                Set<PosixFilePermission> has,
                Set<PosixFilePermission> allowed,
                Set<PosixFilePermission> needed) {
            /** Whether others may do more than they should. */
            boolean tooMany() {
                return !allowed.containsAll(has);
            }

            boolean wrong() {
                return tooMany() || !has.containsAll(needed);
            }

            /** The rights as ls(1) shows them. */
            String shown() {
                return PosixFilePermissions.toString(has);
            }
        }
    }
}
