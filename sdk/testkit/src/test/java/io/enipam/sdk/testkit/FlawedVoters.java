package io.enipam.sdk.testkit;

import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Host;
import io.enipam.sdk.Role;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Voters that break one rule each, and the test of the contract that finds it. */
final class FlawedVoters {
    private static final int LICENCES = 4;

    private FlawedVoters() {}

    /** The contract of a flawed voter. */
    abstract static class Flawed extends VoterContract {
        private final Function<Host, Voter> open;

        Flawed(Function<Host, Voter> open) {
            this.open = open;
        }

        @Override
        protected Extension extension() {
            return Extension.voter("flawed", Set.of(Role.NODE), "tasks", open);
        }

        @Override
        protected Optional<String> violated(List<ClaimId> promised) {
            return promised.size() > LICENCES
                    ? Optional.of(promised.size() + " licences are promised")
                    : Optional.empty();
        }

        @Override
        protected int histories() {
            return 20;
        }
    }

    /** Has four licences. Sound; subclasses change a part. */
    static class Sound implements Voter {
        static final Table<String> TAKEN = new Table<>("taken", 1, Codec.text());

        Sound(Host host) {
            host.journal().open(TAKEN);
        }

        @Override
        public Vote vote(Claim claim, Transaction tx) {
            if (isFull(tx)) {
                return Vote.no(ErrorKind.QUOTA_EXHAUSTED, "all licences are taken");
            }
            tx.put(TAKEN, claim.id().text(), "");
            return Vote.yes();
        }

        boolean isFull(Transaction tx) {
            return tx.scan(TAKEN, "").count() >= LICENCES;
        }

        @Override
        public void withdrawn(ClaimId claim, Transaction tx) {
            tx.delete(TAKEN, claim.text());
        }
    }

    @Breaks(value = "theExtensionNamesItsBallot", saying = "names the ballot")
    static class NamesNoBallot extends Flawed {
        NamesNoBallot() {
            super(Sound::new);
        }

        @Override
        protected Extension extension() {
            return Extension.of("flawed", Set.of(Role.NODE), Sound::new);
        }
    }

    @Breaks(
            value = "voteRunAgainSaysTheSame",
            saying = "says the same",
            orAlso = {"aWithdrawnClaimMakesRoom", "whatIsPromisedHoldsWhateverCrashes"})
    static class CountsInAField extends Flawed {
        CountsInAField() {
            super(host -> new Sound(host) {
                private int calls;

                @Override
                boolean isFull(Transaction tx) {
                    return super.isFull(tx) || calls++ % 2 == 1;
                }
            });
        }
    }

    @Breaks(value = "aWithdrawnClaimMakesRoom", saying = "is there for others")
    static class KeepsWhatIsWithdrawn extends Flawed {
        KeepsWhatIsWithdrawn() {
            super(host -> new Sound(host) {
                @Override
                public void withdrawn(ClaimId claim, Transaction tx) {}
            });
        }
    }

    @Breaks(
            value = "whatIsPromisedHoldsWhateverCrashes",
            saying = "licences are promised",
            orAlso = "voteRunAgainSaysTheSame")
    static class CountsInMemory extends Flawed {
        CountsInMemory() {
            super(host -> new Sound(host) {
                private int taken;

                @Override
                boolean isFull(Transaction tx) {
                    return taken >= LICENCES;
                }

                @Override
                public Vote vote(Claim claim, Transaction tx) {
                    Vote vote = super.vote(claim, tx);
                    taken += vote instanceof Vote.Yes ? 1 : 0;
                    return vote;
                }

                @Override
                public void withdrawn(ClaimId claim, Transaction tx) {
                    taken -= tx.get(TAKEN, claim.text()).isPresent() ? 1 : 0;
                    super.withdrawn(claim, tx);
                }
            });
        }
    }
}
