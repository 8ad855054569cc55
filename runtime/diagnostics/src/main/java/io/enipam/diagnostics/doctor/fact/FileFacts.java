package io.enipam.diagnostics.doctor.fact;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Who may read and write the daemon's files. */
public record FileFacts(List<Mode> modes) {
    public FileFacts {
        modes = List.copyOf(modes);
    }

    /**
     * One file.
     *
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
        /** Rights it has and should not. */
        public Set<PosixFilePermission> tooMany() {
            return less(has, allowed);
        }

        /** Rights it should have and has not. */
        public Set<PosixFilePermission> tooFew() {
            return less(needed, has);
        }

        /** The rights as ls(1) shows them. */
        public String shown() {
            return PosixFilePermissions.toString(has);
        }

        private static Set<PosixFilePermission> less(Set<PosixFilePermission> all, Set<PosixFilePermission> without) {
            Set<PosixFilePermission> left = EnumSet.noneOf(PosixFilePermission.class);
            left.addAll(all);
            left.removeAll(without);
            return left;
        }
    }
}
