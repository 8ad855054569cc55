package io.enipam.examples.swarm.licences;

import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Host;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import java.time.Duration;
import java.util.Set;

/**
 * Votes yes for as many tasks at once as there are licences; the others wait until one is given back, with the task that had it. Any
 * plugin can bring such a voter: it needs the ballot's name, and nothing of the swarm's. Thread-safe.
 */
public final class LicenceVoter implements Voter {
    public static final String NAME = "swarm-licences";

    /** How many tasks may have one at once. */
    public static final Setting<Integer> LICENCES = Setting.wholeNumber("licences", 0, 100_000, 100)
            .unit("tasks")
            .live()
            .doc("How many tasks may run at once, where the extension " + NAME + " votes.");

    private static final Duration PAUSE = Duration.ofSeconds(2);
    private static final Table<String> TAKEN = new Table<>("licences", 1, Codec.text());

    /** How many those are: a vote that counted them would cost the more the more there are. */
    private static final Table<String> COUNT = new Table<>("licence-count", 1, Codec.text());

    private static final String COUNT_KEY = "taken";

    private final Host host;

    private LicenceVoter(Host host) {
        this.host = host;
        host.journal().open(TAKEN);
        host.journal().open(COUNT);
    }

    /** @param ballot on which it votes */
    public static Extension extension(String ballot) {
        return Extension.voter(NAME, Set.of(Role.CLUSTER), ballot, LicenceVoter::new);
    }

    @Override
    public Vote vote(Claim claim, Transaction tx) {
        int licences = host.settings().get(LICENCES);
        int taken = taken(tx);
        if (taken >= licences) {
            return Vote.later(PAUSE, "all " + licences + " licences are taken");
        }
        tx.put(TAKEN, claim.id().text(), "");
        tx.put(COUNT, COUNT_KEY, Integer.toString(taken + 1));
        return Vote.yes();
    }

    private static int taken(Transaction tx) {
        return tx.get(COUNT, COUNT_KEY)
                .map(row -> Integer.parseInt(row.value()))
                .orElseGet(() -> (int) tx.scan(TAKEN, "").count());
    }

    @Override
    public void withdrawn(ClaimId claim, Transaction tx) {
        if (tx.get(TAKEN, claim.text()).isPresent()) {
            tx.put(COUNT, COUNT_KEY, Integer.toString(taken(tx) - 1));
            tx.delete(TAKEN, claim.text());
        }
    }
}
