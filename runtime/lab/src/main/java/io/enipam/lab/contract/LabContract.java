package io.enipam.lab.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.enipam.lab.replay.CloudProfile;
import io.enipam.lab.replay.PolicyCatalog;
import io.enipam.lab.replay.PolicyChoice;
import io.enipam.lab.replay.Replay;
import io.enipam.lab.replay.ReplayResult;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What a policy claims of a day, as tests that replay it. The author of the policy extends it:
 *
 * <pre>{@code
 * class WarmOnMondayTest extends LabContract {
 *     protected PolicyCatalog policies() { return PolicyCatalog.of(new WarmPlugin()); }
 *     protected String policy() { return "warm(target=8)"; }
 *     protected Trace trace() throws TraceException { return TraceFile.read(Path.of("src/test/resources/monday.jsonl")); }
 *     protected Duration longestP99() { return Duration.ofSeconds(1); }
 *     protected double mostIdle() { return 12; }
 * }
 * }</pre>
 *
 * <p>The trace is replayed once with each of the seeds, in virtual time: the results depend on no machine. A bound holds only if it
 * holds with each seed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LabContract {
    private final Map<Long, ReplayResult> results = new TreeMap<>();

    /**
     * Where the policy is looked for: {@link PolicyCatalog#of} a plugin of this class path, or a {@code new PolicyCatalog} of jars.
     * Called once a replay, and closed after it.
     */
    protected abstract PolicyCatalog policies();

    /** The policy with its settings, as {@code lab run --policy} takes it. */
    protected abstract String policy();

    /** The day: read with {@code TraceFile.read}, or made with {@code TraceGenerator.make}. */
    protected abstract Trace trace() throws TraceException;

    /** 99 of 100 pods that get an address wait for it no longer. */
    protected abstract Duration longestP99();

    /** This part of the pods, 0 to 1, find no idle address at most. Nothing is claimed by default. */
    protected double mostWaited() {
        return 1;
    }

    /** So many addresses are idle at most, on average over the trace. Nothing is claimed by default. */
    protected double mostIdle() {
        return Double.POSITIVE_INFINITY;
    }

    /** So many calls reach the cloud at most, retries among them. Nothing is claimed by default. */
    protected long mostCalls() {
        return Long.MAX_VALUE;
    }

    /** So many ADDs fail at most; by default none. */
    protected long mostFailures() {
        return 0;
    }

    /** Node and cloud; by default those of {@code lab run} without {@code --cloud}. */
    protected CloudProfile cloud() {
        return CloudProfile.usual();
    }

    /** Each gives other latencies, and other calls that fail; at least one. */
    protected List<Long> seeds() {
        return List.of(1L, 2L, 3L);
    }

    @Test
    public final void podsWaitNoLongerThanIsClaimed() throws TraceException {
        holds(
                "99 of 100 pods wait " + longestP99().toMillis() + " ms at most",
                result -> result.waits().p99Millis() <= longestP99().toMillis());
    }

    @Test
    public final void noMorePodsWaitThanIsClaimed() throws TraceException {
        holds(
                100 * mostWaited() + " % of the pods wait at most",
                result -> result.waits().share() <= mostWaited());
    }

    @Test
    public final void noMoreAddressesAreIdleThanIsClaimed() throws TraceException {
        double hours = trace().length().toMillis() / 3_600_000.0;
        holds(
                mostIdle() + " addresses are idle at most, on average",
                result -> result.addresses().idleHours() / hours <= mostIdle());
    }

    @Test
    public final void theCloudIsCalledNoMoreOftenThanIsClaimed() throws TraceException {
        holds(
                "the cloud is called " + mostCalls() + " times at most",
                result -> result.cloud().total() <= mostCalls());
    }

    @Test
    public final void noMoreAddsFailThanIsClaimed() throws TraceException {
        holds(mostFailures() + " ADDs fail at most", result -> result.failed() <= mostFailures());
    }

    /** A policy that reads a clock or draws numbers of its own has no result that a test could hold it to. */
    @Test
    public final void theSameSeedGivesTheSameResult() throws TraceException {
        long seed = seeds().get(0);
        assertEquals(
                result(seed),
                replayed(seed),
                () -> "the rule: " + policy() + " decides by what it is given alone; replayed twice with seed " + seed
                        + " it gave two results");
    }

    private void holds(String claim, Predicate<ReplayResult> holds) throws TraceException {
        for (long seed : seeds()) {
            result(seed);
        }
        assertAll(results.values().stream()
                .map(result -> () -> assertTrue(holds.test(result), () -> broken(claim, result))));
    }

    private ReplayResult result(long seed) throws TraceException {
        ReplayResult known = results.get(seed);
        if (known == null) {
            known = replayed(seed);
            results.put(seed, known);
        }
        return known;
    }

    private ReplayResult replayed(long seed) throws TraceException {
        try (PolicyCatalog policies = policies()) {
            return Replay.run(trace(), cloud(), PolicyChoice.parse(policy()), policies, seed, part -> {}, () -> true)
                    .orElseThrow();
        }
    }

    private static String broken(String claim, ReplayResult result) {
        return String.format(
                Locale.ROOT,
                "%n  the claim:   %s%n  the policy:  %s, seed %d%n  found:       %.2f %% waited; p50 %d ms, p99 %d ms, most"
                        + " %d ms; %d of %d pods served, %d failures %s;%n               %.1f idle address-hours; %d calls %s",
                claim,
                result.policy(),
                result.seed(),
                100 * result.waits().share(),
                result.waits().p50Millis(),
                result.waits().p99Millis(),
                result.waits().mostMillis(),
                result.waits().served(),
                result.waits().pods(),
                result.failed(),
                result.failures(),
                result.addresses().idleHours(),
                result.cloud().total(),
                result.cloud().calls());
    }
}
