package io.enipam.kubernetes.cidr;

import java.util.Optional;

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
