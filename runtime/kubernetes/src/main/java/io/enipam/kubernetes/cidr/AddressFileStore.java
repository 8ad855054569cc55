package io.enipam.kubernetes.cidr;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * One file for each address that is taken, as CNI's host-local plugin keeps them: whoever makes the file has the address. Thread-safe.
 * Addresses are literals without a prefix, in canonical text. Every {@link IOException} names the file and the reason.
 */
public interface AddressFileStore {
    /**
     * Takes the lock that host-local takes, for what looks first and writes then.
     *
     * @return to be closed, which gives it back
     * @throws IOException if another holds it for long, or it cannot be taken here
     */
    LockHandle lock() throws IOException;

    /** Every address that has a file, with its owner; one whose file is empty or cannot be read has an {@link AddressOwner#isUnnamed
     * unnamed} owner. */
    Map<String, AddressOwner> owners() throws IOException;

    /** When the file of an address was written last; empty if it has none. */
    Optional<Instant> lastModified(String address) throws IOException;

    /** Who has an address; empty if it is free. */
    Optional<AddressOwner> owner(String address) throws IOException;

    /**
     * Takes an address, under the lock. An empty file in its place is reclaimed. The file is complete from the moment its name
     * exists, and survives a power cut.
     *
     * @return false if it is taken
     * @throws IOException if the file cannot be written; it is not there then
     */
    boolean reserve(String address, AddressOwner owner) throws IOException;

    /**
     * Removes the file of an address if the file is empty, under the lock: its writer crashed before it named an owner.
     *
     * @return whether it was removed; a file that names an owner stays, and so does one that cannot be read
     */
    boolean reclaim(String address) throws IOException;

    /**
     * Writes another owner into a file of enipam's; for somebody else's, or one that is not there, nothing happens.
     *
     * @return whether that was done
     */
    boolean changeOwner(String address, AddressOwner owner) throws IOException;

    /** Gives an address back, under the lock; a file of somebody else's stays. */
    void free(String address) throws IOException;

    /** Removes the files that host-local wrote for a container, whichever interface they name, under the lock. */
    void release(String containerId) throws IOException;

    /** The address that was taken last, as far as anybody knows. */
    Optional<String> lastReserved() throws IOException;

    /** Writes that down, under the lock. */
    void setLastReserved(String last) throws IOException;

    /** Where they are, for messages. */
    String location();

    /** A lock that is held. */
    interface LockHandle extends AutoCloseable {
        @Override
        void close();
    }
}
