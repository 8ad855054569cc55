package io.enipam.sdk;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Gives addresses or blocks to owners: to a sandbox that a CNI call is about, to a node, to a service.
 *
 * <p>The host keeps the grants, in a table of the plugin's journal, and writes each in the transaction of {@link #allocate}: a
 * claim that comes again while its grant is in force gets that grant, and the allocator is not asked. What is granted, and to
 * whom, the allocator may write into tables of its own as it needs.
 *
 * <pre>{@code
 * public Decision allocate(Claim claim, Transaction tx) {
 *     for (String address : addresses) {
 *         if (tx.get(TAKEN, address).isEmpty()) {
 *             tx.put(TAKEN, address, claim.id().text());
 *             tx.effect("announce", address, claim.id().text());
 *             return Grant.of(claim.id(), Prefix.of(address));
 *         }
 *     }
 *     return Decision.refuse(ErrorKind.ADDRESSES_EXHAUSTED, "all " + addresses.size() + " addresses are taken");
 * }
 * }</pre>
 */
public interface Allocator extends Performer {
    /**
     * Decides on a claim. Pure, but for the transaction: it runs again when rows that it read have changed. Must be through after
     * 5 s, the commit included.
     *
     * @param claim one that has no grant in force
     * @throws RuntimeException whatever is thrown counts as a failure of the plugin, and the claim gets nothing
     */
    Decision allocate(Claim claim, Transaction tx);

    /**
     * Takes a grant back: it is not in force any more when the transaction commits. As pure as {@link #allocate}, and as quick.
     */
    void release(Grant grant, Transaction tx);

    /**
     * Forgets a claim that was answered {@link Decision#later} and is given up. As pure as {@link #allocate}, and as quick.
     */
    default void abandon(ClaimId claim, Transaction tx) {}

    /**
     * Says what exists outside of the tables, as far as this allocator made it. Must complete within 60 s. The host compares it
     * with the grants in force when the part is opened and every five minutes after that; {@code doctor} shows what differs
     * twice in a row.
     *
     * @return claims and prefixes are compared; may be empty for an allocator without anything outside, whose
     *     {@link #observes} is false
     */
    CompletionStage<List<Grant>> observe();

    /** Whether {@link #observe} says anything. Constant. */
    default boolean observes() {
        return true;
    }

    /**
     * Repairs a difference, where that is safe, by what it writes: a grant that the outside lacks gets its effects again, what no
     * claim holds gets those that remove it. As pure as {@link #allocate}, and as quick.
     *
     * @param missing whether the grant is in force and the outside lacks it; else the outside has it, and it is not in force
     * @return whether it is repaired when the effects are performed; else it is left, and shown
     */
    default boolean repair(Grant grant, boolean missing, Transaction tx) {
        return false;
    }
}
