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
}
