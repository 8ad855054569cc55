package io.enipam.sdk;

/**
 * Casts claims on ballots, and learns what the {@link Voter}s of any plugins decide.
 *
 * <p>A claim is cast with {@link Transaction#cast}, so with the commit or not at all, and stands until {@link Transaction#withdraw}.
 * It is decided once, as the voters are registered at that moment: refused when one of them has said no, else allocated when all of
 * them have said yes; a ballot without voters allocates at once, in the transaction that casts the claim. A voter that is added before
 * that is waited for, one that is removed is not, and neither changes what is decided.
 */
public interface Coordinator extends Part {
    /**
     * Takes note of a decision, in a transaction of the host's, or at the end of the one that casts the claim. Called once for each claim
     * that is cast, as far as what it writes goes: the host marks the claim as decided in the same transaction. Pure, but for the
     * transaction, and through after 5 s, the commit included; called again, with back-off, until it works. What it throws where the claim
     * is cast keeps no claim from being cast: it is called in a transaction of its own then.
     *
     * @param tally ALLOCATED or REFUSED, with the votes
     */
    void decided(Tally tally, Transaction tx);
}
