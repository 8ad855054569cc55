package io.enipam.kubernetes.cidr;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * One file for each taken address, in the format of CNI's host-local plugin: the program that creates the file has the
 * address. Thread-safe. Addresses are literals without a prefix, in canonical text. Every {@link IOException} names the
 * file and the reason.
 */
public interface AddressFileStore {
    /**
     * Takes host-local's lock, for operations that read first and then write.
     *
     * @return to be closed, which releases the lock
     * @throws IOException if another process holds it for too long, or it cannot be taken here
     */
    LockHandle lock() throws IOException;

    /**
     * Every address that has a file, with its owner; if the file is empty or cannot be read, the owner is
     * {@link AddressOwner#isUnnamed unnamed}.
     */
    Map<String, AddressOwner> owners() throws IOException;

    /** When the file of an address was last written; empty if it has none. */
    Optional<Instant> lastModified(String address) throws IOException;

    /** The owner of an address; empty if it is free. */
    Optional<AddressOwner> owner(String address) throws IOException;

    /**
     * Takes an address, under the lock. Replaces an empty file. The file is complete from the moment its name exists,
     * and survives a power failure.
     *
     * @return false if it is taken
     * @throws IOException if the file cannot be written; it does not exist then
     */
    boolean reserve(String address, AddressOwner owner) throws IOException;

    /**
     * Removes the file of an address if the file is empty, under the lock: its writer crashed before it named an owner.
     *
     * @return whether it was removed; a file that names an owner stays, and so does one that cannot be read
     */
    boolean reclaim(String address) throws IOException;

    /**
     * Changes the owner in a file of enipam's; does nothing for a file of another program, or an absent one.
     *
     * @return whether the owner was changed
     */
    boolean changeOwner(String address, AddressOwner owner) throws IOException;

    /** Releases an address, under the lock; a file of another program stays. */
    void free(String address) throws IOException;

    /** Removes the files that host-local wrote for a container, whichever interface they name, under the lock. */
    void release(String containerId) throws IOException;

    /** The address that was taken last, if known. */
    Optional<String> lastReserved() throws IOException;

    /** Stores the address that was taken last, under the lock. */
    void setLastReserved(String last) throws IOException;

    /** The location of the files, for messages. */
    String location();

    interface LockHandle extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * The owner of an address in its file: container id, CR LF, interface, as CNI's host-local plugin writes it. A file of
     * enipam's ends with white space that host-local ignores ({@link #OURS}); the owner in the file of an idle address
     * cannot be a container, since a container id has no colon.
     *
     * @param containerId as in the file; empty text if absent
     * @param ifName as in the file; empty text if absent
     * @param ours whether enipam wrote it
     */
    public record AddressOwner(String containerId, String ifName, boolean ours) {
        /** Host-local compares files without surrounding white space, so it still recognizes the sandbox. */
        static final String OURS = "\r\n\t\r\n";

        private static final String LINE = "\r\n";

        /** The length of every file of enipam's, in bytes: one sector, which a disk writes whole or not at all. */
        static final int LENGTH = 512;

        private static final String MARK = "enipam:";

        /** No sandbox: the address is idle in the pool. */
        public static final AddressOwner IDLE = new AddressOwner(MARK + "idle", "pool", true);

        /** A sandbox with an address from enipam. */
        public static AddressOwner sandbox(String containerId, String ifName) {
            return new AddressOwner(containerId, ifName, true);
        }

        /** Parses a file's contents, which may be anything. */
        static AddressOwner parse(String text) {
            // the idle mark is recognized by its beginning, which no container id has: after a crash, files of former
            // versions may end anywhere
            if (text.startsWith(MARK)) {
                return IDLE;
            }
            String stripped = text.trim();
            int end = stripped.indexOf(LINE);
            boolean ours = end > 0 && text.endsWith(OURS);
            return end < 0
                    ? new AddressOwner(stripped, "", false)
                    : new AddressOwner(stripped.substring(0, end), stripped.substring(end + LINE.length()), ours);
        }

        /** The file's contents; enipam's own are padded with spaces. */
        String text() {
            String text = containerId.strip() + LINE + ifName;
            return ours ? text + " ".repeat(Math.max(0, LENGTH - text.length() - OURS.length())) + OURS : text;
        }

        /** Whether the file names no owner: it is empty, or its bytes were not on the disk at a power failure. */
        public boolean isUnnamed() {
            return !ours && containerId.isEmpty();
        }

        /** Whether both name the same sandbox, whichever program wrote it. */
        public boolean sameSandbox(AddressOwner other) {
            return containerId.equals(other.containerId) && ifName.equals(other.ifName);
        }

        @Override
        public String toString() {
            return equals(IDLE)
                    ? "enipam's pool"
                    : Optional.of(containerId).filter(id -> !id.isEmpty()).orElse("nobody that it names")
                            + (ifName.isEmpty() ? "" : " " + ifName);
        }
    }
}
