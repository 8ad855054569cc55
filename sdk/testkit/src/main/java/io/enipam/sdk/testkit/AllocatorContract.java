package io.enipam.sdk.testkit;

import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Decision;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Family;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Wishes;
import io.enipam.sdk.ledger.HeldGrant;
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

    /** Has the allocator allocate, and observe what is outside. */
    private final class AllocatorHost extends PerformerHost<Allocator> {
        AllocatorHost() {
            super(
                    Allocator.class,
                    AllocatorContract.this::extension,
                    host -> host.settings(settings()).values(values()),
                    directory,
                    patience(),
                    CONVERGES);
        }

        Decision allocate(Claim claim) {
            Decision decision = get(ledger.allocate(claim, part));
            for (int turn = 0; decision instanceof Decision.Later && turn < STEPS; turn++) {
                performAll();
                decision = get(ledger.allocate(claim, part));
            }
            return decision;
        }

        List<Grant> inForce() {
            return ledger.grants().stream()
                    .map(HeldGrant::grant)
                    .flatMap(Optional::stream)
                    .toList();
        }

        /** The prefixes of each claim, as text. */
        @Override
        Set<String> outside() {
            return texts(part.observes() ? get(part.observe()) : inForce());
        }

        private Set<String> texts(List<Grant> grants) {
            return grants.stream()
                    .map(grant -> grant.claim() + " "
                            + grant.prefixes().stream().map(Prefix::address).toList())
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        void converged() {
            performAll();
            CONVERGES.same(new TreeSet<>(texts(inForce())), new TreeSet<>(outside()), "");
        }
    }

    @Test
    void allocateRunAgainDecidesTheSame() {
        try (AllocatorHost host = new AllocatorHost()) {
            for (int i = 0; i < room(); i++) {
                Claim claim = claim(i);
                host.requireRepeatable(REPEATABLE, () -> host.dry(tx -> host.part.allocate(claim, tx)));
                host.allocate(claim);
            }
        }
    }

    @Test
    void noTwoGrantsInForceOverlap() {
        try (AllocatorHost host = new AllocatorHost()) {
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
        try (AllocatorHost host = new AllocatorHost()) {
            host.allocate(claim(0));
            host.replayAll();
            host.get(host.ledger.release(claim(0).id(), host.part));
            host.replayAll();
        }
    }

    @Test
    void whatIsOutsideConvergesWhateverCrashes() throws InterruptedException {
        Seed.telling(seed -> {
            try (AllocatorHost host = new AllocatorHost()) {
                for (int i = 0; i < histories(); i++) {
                    history(host, new Random(seed + i));
                    host.converged();
                }
            }
        });
    }

    /** Claims come and go, effects are performed now and then, and the process ends at any moment. */
    private void history(AllocatorHost host, Random random) {
        for (int step = 0; step < STEPS; step++) {
            Claim claim = claim(random.nextInt(room()));
            switch (random.nextInt(6)) {
                case 0, 1 -> host.allocate(claim);
                case 2 -> host.get(host.ledger.release(claim.id(), host.part));
                case 3 -> host.performOne(random);
                case 4 -> host.performOneAndCrash(random);
                default -> host.crash();
            }
            violated(host.inForce()).ifPresent(why -> {
                throw APART.broken(why);
            });
        }
    }
}
