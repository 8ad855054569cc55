package io.enipam.kubernetes.cidr;

import java.util.Optional;

/**
 * Who has an address, as its file says: container id, CR LF, interface, as CNI's host-local plugin writes it. A file of enipam's own
 * ends with white space that host-local does not look at ({@link #OURS}); one of an idle address has an owner that no container can
 * be, since a container id has no colon.
 *
 * @param containerId as the file has it; empty text if it says nothing
 * @param ifName as the file has it; empty text if it says nothing
 * @param ours whether enipam wrote it
 */
public record AddressOwner(String containerId, String ifName, boolean ours) {
    /** Host-local compares files without the white space around them: what ends like this is still the sandbox's to it. */
    static final String OURS = "\r\n\t\r\n";

    private static final String LINE = "\r\n";

    /** The length of every file of enipam's, in bytes: a sector, which a disk writes whole or not at all. */
    static final int LENGTH = 512;

    private static final String MARK = "enipam:";

    /** Nobody: the address waits in the pool. */
    public static final AddressOwner IDLE = new AddressOwner(MARK + "idle", "pool", true);

    /** A sandbox that has its address from enipam. */
    public static AddressOwner sandbox(String containerId, String ifName) {
        return new AddressOwner(containerId, ifName, true);
    }

    /** Reads what a file says, which may be anything. */
    static AddressOwner parse(String text) {
        // the idle mark goes by its beginning, which no container id has: files of former versions may end anywhere
        // after a crash
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

    /** What the file has; enipam's own are filled up with spaces. */
    String text() {
        String text = containerId.strip() + LINE + ifName;
        return ours ? text + " ".repeat(Math.max(0, LENGTH - text.length() - OURS.length())) + OURS : text;
    }

    /** Whether the file names no owner: it is empty, or the power went before its bytes were on the disk. */
    public boolean isUnnamed() {
        return !ours && containerId.isEmpty();
    }

    /** Whether the same sandbox has it, whoever wrote that down. */
    public boolean sameSandbox(AddressOwner other) {
        return containerId.equals(other.containerId) && ifName.equals(other.ifName);
    }

    /** As a person is told. */
    @Override
    public String toString() {
        return equals(IDLE)
                ? "enipam's pool"
                : Optional.of(containerId).filter(id -> !id.isEmpty()).orElse("nobody that it names")
                        + (ifName.isEmpty() ? "" : " " + ifName);
    }
}
