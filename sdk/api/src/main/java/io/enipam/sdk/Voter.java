package io.enipam.sdk;

/**
 * Votes on a ballot: a claim that a {@link Coordinator} casts there is allocated when every registered voter has said yes. Its
 * extension names the ballot ({@link Extension#ballot}). A voter is registered for as long as its extension is enabled in the
 * configuration, whether it runs or not: a claim waits for one that hangs, fails, or cannot be opened.
 *
 * <p>The host keeps the vote, in a table of the voter's journal, and writes it in the transaction of {@link #vote}: a voter is not
 * asked again for what it has said yes or no to, also after a crash. What it has promised to whom, it may write into tables of its own.
 *
 * <pre>{@code
 * public Vote vote(Claim claim, Transaction tx) {
 *     if (tx.scan(TAKEN, "").count() >= licences) {
 *         return Vote.no(ErrorKind.QUOTA_EXHAUSTED, "all " + licences + " licences are taken");
 *     }
 *     tx.put(TAKEN, claim.id().text(), "");
 *     return Vote.yes();
 * }
 *
 * public void withdrawn(ClaimId claim, Transaction tx) {
 *     tx.delete(TAKEN, claim.text());
 * }
 * }</pre>
 */
public interface Voter extends Part {
    /**
     * Votes on a claim. Pure, but for the transaction: it runs again when rows that it read have changed. Must be through after
     * 5 s, the commit included. One that fails is called again, with back-off.
     *
     * @param claim one that it has not said yes or no to
     */
    Vote vote(Claim claim, Transaction tx);

    /**
     * Gives back what a vote took: the claim is withdrawn, allocated or not. Called once for each claim that was voted on, whatever the
     * vote, also when the claim is cast anew. As pure as {@link #vote}, and as quick; called again, with back-off, until it works.
     */
    default void withdrawn(ClaimId claim, Transaction tx) {}
}
