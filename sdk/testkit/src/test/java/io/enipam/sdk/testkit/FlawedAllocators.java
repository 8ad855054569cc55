package io.enipam.sdk.testkit;

import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Decision;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Host;
import io.enipam.sdk.Part;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Role;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** Allocators that break one rule each, and the test of the contract that finds it. */
final class FlawedAllocators {
    private FlawedAllocators() {}

    /** The contract of a flawed allocator; what is outside outlives its parts, as a file would. */
    abstract static class Flawed extends AllocatorContract {
        private final Map<String, String> outside = new HashMap<>();
        private final BiFunction<Host, Map<String, String>, Part> open;

        Flawed(BiFunction<Host, Map<String, String>, Part> open) {
            this.open = open;
        }

        @Override
        protected Extension extension() {
            return Extension.of("flawed", Set.of(Role.NODE), host -> open.apply(host, outside));
        }

        @Override
        protected int histories() {
            return 20;
        }
    }

    /** Gives one of eight addresses, and notes outside who has it. Sound; subclasses change a part. */
    static class Sound implements Allocator {
        static final Table<String> TAKEN = new Table<>("taken", 1, Codec.text());
        static final List<String> ADDRESSES =
                IntStream.range(2, 10).mapToObj(i -> "10.0.0." + i + "/24").toList();

        final Map<String, String> outside;

        Sound(Host host, Map<String, String> outside) {
            host.journal().open(TAKEN);
            this.outside = outside;
        }

        @Override
        public Decision allocate(Claim claim, Transaction tx) {
            return ADDRESSES.stream()
                    .filter(address -> isFree(address, tx))
                    .findFirst()
                    .<Decision>map(address -> granted(claim, address, tx))
                    .orElseGet(() -> Decision.refuse(ErrorKind.ADDRESSES_EXHAUSTED, "none is left"));
        }

        boolean isFree(String address, Transaction tx) {
            return tx.get(TAKEN, address).isEmpty();
        }

        Grant granted(Claim claim, String address, Transaction tx) {
            tx.put(TAKEN, address, claim.id().text());
            tx.effect("note", address, claim.id().text());
            return Grant.of(claim.id(), Prefix.of(address));
        }

        @Override
        public void release(Grant grant, Transaction tx) {
            String address = grant.prefixes().get(0).address().toString();
            tx.delete(TAKEN, address);
            tx.effect("erase", address, grant.claim().text());
        }

        @Override
        public CompletionStage<EffectResult> perform(Effect effect) {
            if (effect.handler().equals("note")) {
                outside.put(effect.token(), effect.arguments());
            } else {
                outside.remove(effect.token(), effect.arguments());
            }
            return CompletableFuture.completedStage(EffectResult.performed());
        }

        @Override
        public CompletionStage<List<Grant>> observe() {
            return CompletableFuture.completedStage(outside.entrySet().stream()
                    .map(entry -> Grant.of(new ClaimId(entry.getValue()), Prefix.of(entry.getKey())))
                    .toList());
        }
    }

    @Breaks(value = "allocateRunAgainDecidesTheSame", saying = "decides the same")
    static class CountsInAField extends Flawed {
        CountsInAField() {
            super((host, outside) -> new Sound(host, outside) {
                private int next;

                @Override
                boolean isFree(String address, Transaction tx) {
                    return super.isFree(address, tx) && ADDRESSES.indexOf(address) >= next++ % 2;
                }
            });
        }
    }

    @Breaks(
            value = "noTwoGrantsInForceOverlap",
            saying = "was granted twice",
            orAlso = {"whatIsOutsideConvergesWhateverCrashes", "anEffectPerformedAgainChangesNothing"})
    static class LooksAtNoTable extends Flawed {
        LooksAtNoTable() {
            super((host, outside) -> new Sound(host, outside) {
                @Override
                boolean isFree(String address, Transaction tx) {
                    return true;
                }
            });
        }
    }

    @Breaks(
            value = "anEffectPerformedAgainChangesNothing",
            saying = "performed again",
            orAlso = "whatIsOutsideConvergesWhateverCrashes")
    static class RefusesAReplay extends Flawed {
        RefusesAReplay() {
            super((host, outside) -> new Sound(host, outside) {
                @Override
                public CompletionStage<EffectResult> perform(Effect effect) {
                    return outside.containsKey(effect.token())
                                    && effect.handler().equals("note")
                            ? CompletableFuture.completedStage(Failed.of(ErrorKind.CONFLICT, "it is there"))
                            : super.perform(effect);
                }
            });
        }
    }

    @Breaks(value = "whatIsOutsideConvergesWhateverCrashes", saying = "when no effect waits")
    static class LeavesBehindWhatIsReleased extends Flawed {
        LeavesBehindWhatIsReleased() {
            super((host, outside) -> new Sound(host, outside) {
                @Override
                public void release(Grant grant, Transaction tx) {
                    tx.delete(TAKEN, grant.prefixes().get(0).address().toString());
                }
            });
        }
    }
}
