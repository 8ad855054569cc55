package io.enipam.sdk.testkit;

import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Decision;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Family;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Part;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Wishes;
import io.enipam.sdk.ledger.HeldGrant;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.PendingEffect;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules of {@link Allocator} as tests. Random choices come from a seed that a failure names and
 * {@code -Denipam.contract.seed=N} sets.
 *
 * <pre>{@code
 * class VlanAllocatorTest extends AllocatorContract {
 *     protected Extension extension() {
 *         return new VlanPlugin().extensions().get(0);
 *     }
 * }
 * }</pre>
 *
 * <p>The allocator is opened with a journal in memory and a directory of its own, and after each crash with the same ones: what
 * it changes outside of them, a subclass undoes before each test.
 */
public abstract class AllocatorContract {
    private static final int STEPS = 40;

    private static final ContractRule REPEATABLE = new ContractRule(
            "allocate run twice on the same tables decides the same and writes the same",
            "Decide by the claim and the transaction alone: no fields that change, no clock, no random numbers.");
    private static final ContractRule APART = new ContractRule(
            "what the grants in force have does not overlap, and other invariants of the allocator hold",
            "Write into a table what is taken, in the transaction of allocate, and read it there.");
    private static final ContractRule REPLAYED = new ContractRule(
            "an effect that is performed again says that it is performed, and changes nothing",
            "Recognize by the token what is done already, and take it for done.");
    private static final ContractRule CONVERGES = new ContractRule(
            "when no effect waits, observe says what the grants in force are, whatever crashed before",
            "Write an effect for each change outside, in allocate as in release, and leave out no part of it.");

    @TempDir
    Path directory;

    /** The allocator under test. */
    protected abstract Extension extension();

    /** The settings of its plugin. */
    protected List<Setting<?>> settings() {
        return List.of();
    }

    /** What is set, by name; it must leave room for {@link #room} claims. */
    protected Map<String, List<String>> values() {
        return Map.of();
    }

    /** How many claims it can serve at once at least. */
    protected int room() {
        return 4;
    }

    /** The claim of a number, 0 and above: a pod's, without wishes. */
    protected Claim claim(int number) {
        return pod("pod-" + number, Map.of());
    }

    /** A pod's claim with these parameters. */
    protected static Claim pod(String name, Map<String, String> parameters) {
        record Pod(Kind kind, String name, Map<String, String> labels, Map<String, String> annotations)
                implements Subject {}
        record Asked(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
                implements Wishes {}
        record Made(ClaimId id, Subject subject, Wishes wishes, Instant deadline) implements Claim {}
        return new Made(
                new ClaimId("net/" + name + "/eth0"),
                new Pod(Subject.Kind.POD, "default/" + name, Map.of(), Map.of()),
                new Asked(Set.of(), List.of(), parameters),
                Instant.now().plus(Duration.ofMinutes(1)));
    }

    /**
     * What is wrong with grants that are in force together; empty if nothing is. By default no address may be in two of them.
     */
    protected Optional<String> violated(List<Grant> inForce) {
        Set<String> seen = new TreeSet<>();
        return inForce.stream()
                .flatMap(grant -> grant.prefixes().stream())
                .map(prefix -> prefix.address().toString())
                .filter(address -> !seen.add(address))
                .findFirst()
                .map(address -> address + " was granted twice");
    }

    /** How many random histories are run. */
    protected int histories() {
        return 100;
    }

    /** How long one call may take. */
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    /** A host of one allocator, which runs what is asked of it step by step. */
    private final class ModelHost implements AutoCloseable {
        InMemoryJournal store = new InMemoryJournal();
        Ledger ledger;
        Allocator allocator;

        ModelHost() {
            open();
        }

        private void open() {
            TestClock clock = TestClock.running();
            ledger = new Ledger(store, "under-test", clock);
            Part part = extension()
                    .open(TestContext.builder()
                            .settings(settings())
                            .values(values())
                            .clock(clock)
                            .directory(directory)
                            .journal(ledger.journal())
                            .build());
            if (!(part instanceof Allocator opened)) {
                throw new AssertionError("the extension opened a part that is no Allocator: " + part);
            }
            allocator = opened;
        }

        /** The process ends, and comes back with what is durable. */
        void crash() {
            allocator.close();
            store = store.reopened();
            open();
        }

        Decision allocate(Claim claim) {
            Decision decision = get(ledger.allocate(claim, allocator));
            for (int turn = 0; decision instanceof Decision.Later && turn < STEPS; turn++) {
                drain();
                decision = get(ledger.allocate(claim, allocator));
            }
            return decision;
        }

        EffectResult perform(PendingEffect effect, int attempt) {
            return get(allocator.perform(effect.attempt(attempt)));
        }

        void drain() {
            for (List<PendingEffect> left = ledger.effects(); !left.isEmpty(); left = ledger.effects()) {
                PendingEffect first = left.get(0);
                EffectResult result = perform(first, 1);
                CONVERGES.check(
                        result instanceof EffectResult.Performed,
                        () -> first.handler() + " " + first.token() + " ended with " + result);
                get(ledger.forget(first, () -> true));
            }
        }

        List<Grant> inForce() {
            return ledger.grants().stream()
                    .map(HeldGrant::grant)
                    .flatMap(Optional::stream)
                    .toList();
        }

        /** The prefixes of each claim, as text. */
        Set<String> observed() {
            return texts(allocator.observes() ? get(allocator.observe()) : inForce());
        }

        private Set<String> texts(List<Grant> grants) {
            return grants.stream()
                    .map(grant -> grant.claim() + " "
                            + grant.prefixes().stream().map(Prefix::address).toList())
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        void converged() {
            drain();
            CONVERGES.same(new TreeSet<>(texts(inForce())), new TreeSet<>(observed()), "");
        }

        <T> T get(CompletionStage<T> stage) {
            return PartRuns.get(stage, patience());
        }

        @Override
        public void close() {
            allocator.close();
        }
    }

    @Test
    void allocateRunAgainDecidesTheSame() {
        try (ModelHost host = new ModelHost()) {
            for (int i = 0; i < room(); i++) {
                Claim claim = claim(i);
                List<String> first = dry(host, claim);
                List<String> second = dry(host, claim);
                REPEATABLE.check(first.equals(second), () -> "first " + first + ", then " + second);
                host.allocate(claim);
            }
        }
    }

    private static List<String> dry(ModelHost host, Claim claim) {
        return PartRuns.dry(host.store, tx -> host.allocator.allocate(claim, tx));
    }

    @Test
    void noTwoGrantsInForceOverlap() {
        try (ModelHost host = new ModelHost()) {
            for (int i = 0; i < room(); i++) {
                Decision decision = host.allocate(claim(i));
                APART.check(decision instanceof Grant, () -> "with room for " + room() + " claims: " + decision);
            }
            violated(host.inForce()).ifPresent(why -> {
                throw APART.broken(why);
            });
        }
    }

    @Test
    void anEffectPerformedAgainChangesNothing() {
        try (ModelHost host = new ModelHost()) {
            host.allocate(claim(0));
            replayAll(host);
            host.get(host.ledger.release(claim(0).id(), host.allocator));
            replayAll(host);
        }
    }

    private void replayAll(ModelHost host) {
        for (List<PendingEffect> left = host.ledger.effects(); !left.isEmpty(); left = host.ledger.effects()) {
            PendingEffect effect = left.get(0);
            host.perform(effect, 1);
            Set<String> before = host.observed();
            EffectResult again = host.perform(effect, 2);
            REPLAYED.check(
                    again instanceof EffectResult.Performed,
                    () -> "performed again, " + effect.handler() + " " + effect.token() + " ended with " + again);
            REPLAYED.same(new TreeSet<>(before), new TreeSet<>(host.observed()), "");
            host.get(host.ledger.forget(effect, () -> true));
        }
    }

    @Test
    void whatIsOutsideConvergesWhateverCrashes() throws InterruptedException {
        Seed.telling(seed -> {
            try (ModelHost host = new ModelHost()) {
                for (int i = 0; i < histories(); i++) {
                    history(host, new Random(seed + i));
                    host.converged();
                }
            }
        });
    }

    /** Claims come and go, effects are performed now and then, and the process ends at any moment. */
    private void history(ModelHost host, Random random) {
        for (int step = 0; step < STEPS; step++) {
            Claim claim = claim(random.nextInt(room()));
            switch (random.nextInt(6)) {
                case 0, 1 -> host.allocate(claim);
                case 2 -> host.get(host.ledger.release(claim.id(), host.allocator));
                case 3 ->
                    PartRuns.next(host.ledger, random).ifPresent(effect -> {
                        host.perform(effect, 1);
                        host.get(host.ledger.forget(effect, () -> true));
                    });
                case 4 ->
                    PartRuns.next(host.ledger, random).ifPresent(effect -> {
                        host.perform(effect, 1);
                        host.crash();
                    });
                default -> host.crash();
            }
            violated(host.inForce()).ifPresent(why -> {
                throw APART.broken(why);
            });
        }
    }
}
