package io.enipam.sdk.testkit;

import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import io.enipam.sdk.ledger.CastClaim;
import io.enipam.sdk.ledger.HeldVote;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules of {@link Voter} as tests. Random choices come from a seed that a failure names and
 * {@code -Denipam.contract.seed=N} sets.
 *
 * <pre>{@code
 * class LicenceVoterTest extends VoterContract {
 *     protected Extension extension() {
 *         return new LicencePlugin().extensions().get(0);
 *     }
 * }
 * }</pre>
 *
 * <p>The voter is opened with a journal in memory and a directory of its own, and after each crash with the same ones.
 */
public abstract class VoterContract {
    private static final int STEPS = 60;
    private static final String COORDINATOR = "coordinator";

    private static final ContractRule DECLARED = new ContractRule(
            "the extension names the ballot of the voter that it opens",
            "Announce it with Extension.voter, or override Extension.ballot.");
    private static final ContractRule REPEATABLE = new ContractRule(
            "vote run twice on the same tables says the same and writes the same",
            "Decide by the claim and the transaction alone: no fields that change, no clock, no random numbers.");
    private static final ContractRule GIVEN_BACK = new ContractRule(
            "what a vote took is there for others when the claim is withdrawn",
            "Delete in withdrawn what vote has written for the claim.");
    private static final ContractRule HOLDS = new ContractRule(
            "what the voter has said yes to holds together, whatever is withdrawn, cast anew, or crashes",
            "Write into a table what is promised, in the transaction of vote, and read it there.");

    @TempDir
    Path directory;

    /** The voter under test. */
    protected abstract Extension extension();

    /** The settings of its plugin. */
    protected List<Setting<?>> settings() {
        return List.of();
    }

    /** What is set, by name; it must leave room for {@link #room} claims. */
    protected Map<String, List<String>> values() {
        return Map.of();
    }

    /** How many claims it says yes to at once at least. */
    protected int room() {
        return 4;
    }

    /** The claim of a number, 0 and above: a pod's, without wishes. */
    protected Claim claim(int number) {
        return AllocatorContract.pod("pod-" + number, Map.of());
    }

    /** What is wrong with what the voter has said yes to at one time; empty if nothing is. By default nothing can be. */
    protected Optional<String> violated(List<ClaimId> promised) {
        return Optional.empty();
    }

    /** How many random histories are run. */
    protected int histories() {
        return 100;
    }

    /** How long one call may take. */
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    /** Has the voter vote and take back. */
    private final class VoterHost extends ModelHost<Voter> {
        private long rounds;

        VoterHost() {
            super(
                    Voter.class,
                    VoterContract.this::extension,
                    host -> host.settings(settings()).values(values()),
                    directory,
                    patience());
        }

        Vote vote(int number) {
            CastClaim cast = new CastClaim("ballot", claim(number), Instant.EPOCH, ++rounds, false, Map.of());
            return get(ledger.ballots().vote(COORDINATOR, cast, part));
        }

        void withdraw(int number) {
            ledger.ballots()
                    .vote(COORDINATOR, claim(number).id())
                    .ifPresent(vote -> get(ledger.ballots().takeBack(vote, part)));
        }

        void withdrawAll() {
            for (HeldVote vote : ledger.ballots().votes()) {
                get(ledger.ballots().takeBack(vote, part));
            }
        }

        List<ClaimId> promised() {
            return ledger.ballots().votes().stream()
                    .filter(held -> held.vote() instanceof Vote.Yes)
                    .map(HeldVote::claim)
                    .toList();
        }

        /** The first claims from a number on, one after the other: all of them get a yes. */
        void fill(int from) {
            for (int i = 0; i < room(); i++) {
                Vote vote = vote(from + i);
                GIVEN_BACK.check(vote instanceof Vote.Yes, () -> "with room for " + room() + " claims: " + vote);
            }
        }
    }

    @Test
    void theExtensionNamesItsBallot() {
        DECLARED.check(
                extension()
                        .ballot()
                        .filter(name -> name.matches("[a-z][a-z0-9-]{0,62}"))
                        .isPresent(),
                () -> "its ballot is " + extension().ballot());
    }

    @Test
    void voteRunAgainSaysTheSame() {
        try (VoterHost host = new VoterHost()) {
            for (int i = 0; i < room(); i++) {
                Claim claim = claim(i);
                host.requireRepeatable(REPEATABLE, () -> host.dry(tx -> host.part.vote(claim, tx)));
                host.vote(i);
            }
        }
    }

    @Test
    void aWithdrawnClaimMakesRoom() {
        try (VoterHost host = new VoterHost()) {
            for (int turn = 0; turn < 3; turn++) {
                host.fill(turn * room());
                host.withdrawAll();
            }
        }
    }

    @Test
    void whatIsPromisedHoldsWhateverCrashes() throws InterruptedException {
        Seed.telling(seed -> {
            try (VoterHost host = new VoterHost()) {
                for (int i = 0; i < histories(); i++) {
                    history(host, new Random(seed + i));
                    host.withdrawAll();
                }
            }
        });
    }

    /** Claims are cast, cast anew and withdrawn, and the process ends at any moment. */
    private void history(VoterHost host, Random random) {
        for (int step = 0; step < STEPS; step++) {
            int number = random.nextInt(2 * room());
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> host.vote(number);
                case 3, 4 -> host.withdraw(number);
                default -> host.crash();
            }
            violated(host.promised()).ifPresent(why -> {
                throw HOLDS.broken(why);
            });
        }
    }
}
