package io.enipam.sdk;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a function that is given to a {@link Journal} reads and writes with. All reads are of one revision, and of what the
 * transaction itself has written. Used by one thread, and only until the function returns.
 *
 * <p>Each method throws {@link JournalException}: {@link ErrorKind#MISCONFIGURED} for a table that was not opened,
 * {@link ErrorKind#QUOTA_EXHAUSTED} for a key or a value beyond the bounds, {@link ErrorKind#INTERNAL} if a codec fails. What is wrong
 * with a value that is kept ({@link Codec#keepsValues}) may be found when the function is through: the commit fails with it then.
 */
public interface Transaction {
    /** The row of a key; empty if there is none. */
    <V> Optional<Row<V>> get(Table<V> table, String key);

    /**
     * The rows whose key begins with a prefix, ascending by key (as {@link String#compareTo} does).
     *
     * @param prefix the empty text for all rows
     * @return read as far as it is consumed; a row that another transaction adds anywhere under the prefix is a conflict
     */
    <V> Stream<Row<V>> scan(Table<V> table, String prefix);

    /** Adds or replaces a row. */
    <V> void put(Table<V> table, String key, V value);

    /** Removes a row; has no effect if there is none. */
    void delete(Table<?> table, String key);

    /**
     * Writes an effect, which the host has the part perform after the commit ({@link Performer#perform}).
     *
     * @param handler which sort it is: {@code [a-z][a-z0-9-]*}, at most 63 characters
     * @param token by which the part recognizes the same effect when it comes again: 1 to 128 printable ASCII characters, no
     *     blanks
     * @param arguments what the part needs to know, within the bounds of a row's value
     * @throws UnsupportedOperationException if this is not a transaction of a {@link Performer} that the host runs
     * @throws IllegalArgumentException if handler or token are malformed
     */
    default void effect(String handler, String token, String arguments) {
        throw new UnsupportedOperationException("the host performs effects of an extension's part alone");
    }

    /**
     * Casts a claim on a ballot, with the commit; see {@link Coordinator}. Has no effect while the claim is there already, decided or
     * not.
     *
     * @param ballot {@code [a-z][a-z0-9-]*}, at most 63 characters
     * @param claim with an id of at most 380 characters; its deadline is the caller's, the host asks for votes beyond it
     * @throws UnsupportedOperationException if this is not a transaction of a part that the host runs
     * @throws IllegalArgumentException if the ballot's name or the claim's id is not allowed
     */
    default void cast(String ballot, Claim claim) {
        throw new UnsupportedOperationException("claims are cast in transactions of an extension's part alone");
    }

    /**
     * Takes a claim off a ballot, decided or not, with the commit: who has voted is told afterwards ({@link Voter#withdrawn}). It may be
     * cast anew at once. Has no effect if it is not there.
     *
     * @throws UnsupportedOperationException if this is not a transaction of a part that the host runs
     */
    default void withdraw(String ballot, ClaimId claim) {
        throw new UnsupportedOperationException("claims are withdrawn in transactions of an extension's part alone");
    }

    /**
     * Has the host list what an owner has of a part that decides by itself ({@link CniService}), with the commit, as it lists the grants of an
     * {@link Allocator}: for operators, and for its garbage collection, which calls {@link CniService#release}. Of a claim that is listed
     * already the owner stays, and since when.
     *
     * @param owner of the claim; a pod that is gone is found by its name and UID
     * @throws UnsupportedOperationException if this is not a transaction of a part that the host runs
     */
    default void granted(Grant grant, Subject owner) {
        throw new UnsupportedOperationException("grants are listed in transactions of an extension's part alone");
    }

    /**
     * Ends that, with the commit. Has no effect if the claim is not listed.
     *
     * @throws UnsupportedOperationException if this is not a transaction of a part that the host runs
     */
    default void released(ClaimId claim) {
        throw new UnsupportedOperationException("grants are listed in transactions of an extension's part alone");
    }
}
