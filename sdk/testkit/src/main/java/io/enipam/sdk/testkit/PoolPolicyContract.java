package io.enipam.sdk.testkit;

import io.enipam.sdk.Pick;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link PoolPolicy} as tests. The author of a policy extends it:
 *
 * <pre>{@code
 * class WarmTargetPolicyTest extends PoolPolicyContract {
 *     protected PoolPolicy policy() {
 *         return new WarmTargetProvider().open(
 *                 TestContext.builder().settings(WarmTarget.SETTINGS).value("warm_ip_target", "5").build());
 *     }
 * }
 * }</pre>
 *
 * <p>Each rule about single answers is tried on some thousands of pools at random, from a seed that a failure names and
 * {@code -Denipam.contract.seed=N} sets; the rules about what comes of many answers are tried on a model of the
 * engine's pool, in virtual time.
 */
public abstract class PoolPolicyContract {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final Set<String> HELD = Set.of("RESERVED", "COOLING");
    private static final Duration LONGEST_COOL_DOWN = Duration.ofHours(1);
    private static final Duration LONGEST_STICK = Duration.ofDays(1);

    /** Opens the policy under test: a new object at each call, all opened alike. */
    protected abstract PoolPolicy policy();

    /** How many snapshots a rule is tried on. */
    protected int snapshots() {
        return 2_000;
    }

    /** How long an answer about a pool of 1,000 resources may take. */
    protected Duration answerTime() {
        return Duration.ofMillis(10);
    }

    /** How long a pod may wait for an address in a pool with capacity for twice the pods there are. */
    protected Duration waitTime() {
        return Duration.ofMinutes(10);
    }

    private void onEach(PoolPolicy policy, BiConsumer<PoolSnapshot, PolicyAnswers> rule) throws InterruptedException {
        Seed.telling(seed -> Snapshots.random(seed)
                .limit(snapshots())
                .forEach(pool -> rule.accept(pool, PolicyAnswers.of(policy, pool))));
    }

    private void onEach(BiConsumer<PoolSnapshot, PolicyAnswers> rule) throws InterruptedException {
        onEach(policy(), rule);
    }

    // ---- Pure

    @Test
    void askedAgainItAnswersTheSame() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "an answer depends on the arguments alone: asked again, a policy says the same",
                "Keep no state between calls, and use no clock and no random source; what to learn from is in"
                        + " snapshot.activity().");
        PoolPolicy policy = policy();
        onEach(policy, (pool, first) -> same(rule, pool, first, PolicyAnswers.of(policy, pool)));
    }

    @Test
    void theOrderOfTheQuestionsDoesNotMatter() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "an answer depends on the arguments alone, not on what was asked before",
                "Keep no state between calls: the engine asks more often than it acts, and throws answers away.");
        PoolPolicy policy = policy();
        Seed.telling(seed -> {
            List<PoolSnapshot> pools = Snapshots.random(seed).limit(snapshots()).toList();
            List<PolicyAnswers> forwards =
                    pools.stream().map(pool -> PolicyAnswers.of(policy, pool)).toList();
            for (int i = pools.size() - 1; i >= 0; i--) {
                same(rule, pools.get(i), forwards.get(i), PolicyAnswers.of(policy, pools.get(i)));
            }
        });
    }

    @Test
    void aSecondOneOpenedAlikeAnswersAlike() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "two policies opened with the same settings give the same answers: a restart changes nothing",
                "Draw nothing at random when the policy is opened, and do not iterate over identity hashes.");
        PoolPolicy second = policy();
        onEach(policy(), (pool, first) -> same(rule, pool, first, PolicyAnswers.of(second, pool)));
    }

    @Test
    void threadsThatAskTogetherGetTheSameAnswers() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "several threads may ask at once",
                "Share no collection and no buffer between calls; locals cost nothing.");
        PoolPolicy policy = policy();
        Seed.telling(seed -> {
            List<PoolSnapshot> pools = Snapshots.random(seed).limit(500).toList();
            PoolPolicy alone = policy();
            List<PolicyAnswers> expected =
                    pools.stream().map(pool -> PolicyAnswers.of(alone, pool)).toList();
            Runnable ask = () -> {
                for (int i = 0; i < pools.size(); i++) {
                    same(rule, pools.get(i), expected.get(i), PolicyAnswers.of(policy, pools.get(i)));
                }
            };
            ConcurrencyStress.atOnce(Collections.nCopies(4, ask));
        });
    }

    @Test
    void theDateDoesNotMatter() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "only distances in time matter: the same pool a year later gets the same answers",
                "Compare a resource's since() with the snapshot's at(), never with the machine's clock or a fixed date.");
        PoolPolicy policy = policy();
        Duration year = Duration.ofDays(365);
        onEach(policy, (pool, first) -> same(rule, pool, first, PolicyAnswers.of(policy, later(pool, year))));
    }

    private static PoolSnapshot later(PoolSnapshot pool, Duration by) {
        return new PoolSnapshot(
                pool.at().plus(by),
                pool.kind(),
                pool.capacity(),
                pool.minIdle(),
                pool.maxIdle(),
                pool.creating(),
                pool.waiting(),
                pool.activity(),
                pool.resources().stream()
                        .map(view -> new ResourceView(
                                view.resource(), view.state(), view.since().plus(by), view.owner()))
                        .toList(),
                pool.waiters());
    }

    private static void same(ContractRule rule, PoolSnapshot pool, PolicyAnswers first, PolicyAnswers second) {
        rule.check(first.equals(second), () -> "first " + first + ", then " + second + ", about " + described(pool));
    }

    private static String described(PoolSnapshot pool) {
        StringBuilder text = new StringBuilder("a pool of capacity " + pool.capacity() + " with watermarks "
                + pool.minIdle() + " and " + pool.maxIdle() + ", " + pool.waiting() + " waiting");
        for (ResourceState state : ResourceState.values()) {
            text.append(", ").append(pool.count(state)).append(' ').append(state);
        }
        return text.toString();
    }

    // ---- Answers

    @Test
    void noQuestionThrows() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "a policy answers about every pool: empty, full, shrunk below its contents, with and without activity",
                "Guard divisions, first elements and Target's rule 0 <= minIdle <= maxIdle.");
        onEach((pool, answers) ->
                rule.check(answers.thrown().isEmpty(), () -> answers.thrown() + "about " + described(pool)));
    }

    @Test
    void noAnswerIsNull() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "no answer is null",
                "Pick.longestIdle(), Duration.ZERO and the arguments themselves are answers, too.");
        onEach((pool, answers) -> rule.check(
                answers.nulls().isEmpty(), () -> "null for " + answers.nulls() + "about " + described(pool)));
    }

    @Test
    void whatIsPickedIsIdle() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "what is picked is idle in the snapshot, by its id",
                "Choose from snapshot.in(ResourceState.IDLE), or answer Pick.longestIdle().");
        onEach((pool, answers) -> picked(answers).forEach(id -> {
            String state = state(pool, id);
            rule.check(
                    state.equals("IDLE") || HELD.contains(state),
                    () -> id + " was picked, which is " + state + ", from " + described(pool));
        }));
    }

    @Test
    void whatIsReservedOrCoolingIsNotPicked() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "a reservation is kept for its pod, and a cool-down runs its time: neither is picked",
                "RESERVED and COOLING look idle from outside; the engine itself gives a reserved one to its own pod.");
        onEach((pool, answers) -> picked(answers).forEach(id -> {
            String state = state(pool, id);
            rule.check(!HELD.contains(state), () -> id + " was picked, which is " + state);
        }));
    }

    private static Stream<ResourceId> picked(PolicyAnswers answers) {
        return answers.picks().stream().filter(Pick.Chosen.class::isInstance).map(pick -> ((Pick.Chosen) pick).id());
    }

    @Test
    void aRefusalSaysWhyInOneLine() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "the message of a refusal is one line of 1 to 500 characters: it becomes an event of the pod",
                "Say what is refused, why, and what would help; leave out lists that grow with the pool.");
        onEach((pool, answers) -> answers.picks().stream()
                .filter(Pick.Refused.class::isInstance)
                .map(pick -> ((Pick.Refused) pick).message())
                .forEach(text -> rule.check(
                        !text.isBlank() && text.length() <= 500 && text.chars().noneMatch(Character::isISOControl),
                        () -> "the message is '" + text + "'")));
    }

    private static String state(PoolSnapshot pool, ResourceId id) {
        return pool.resources().stream()
                .filter(view -> view.resource().id().equals(id))
                .map(view -> view.state().name())
                .findFirst()
                .orElse("not in the snapshot");
    }

    @Test
    void whatIsShedFirstIsIdle() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "what is shed first is idle in the snapshot",
                "Fill shedFirst from snapshot.in(ResourceState.IDLE) alone; one that is lent cannot be shed.");
        onEach((pool, answers) -> answers.target()
                .ifPresent(target -> target.shedFirst()
                        .forEach(id -> rule.check(
                                state(pool, id).equals("IDLE"),
                                () -> id + " shall be shed, which is " + state(pool, id)))));
    }

    @Test
    void nothingIsShedTwice() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "shedFirst names each resource once", "Use distinct() where two reasons to shed meet.");
        onEach((pool, answers) -> answers.target().ifPresent(target -> {
            Set<ResourceId> once = new HashSet<>(target.shedFirst());
            rule.check(once.size() == target.shedFirst().size(), () -> "shedFirst is " + target.shedFirst());
        }));
    }

    @Test
    void aCoolDownIsZeroToOneHour() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "release answers zero to one hour",
                "Bound what is computed; the argument is within the bounds already.");
        onEach((pool, answers) -> answers.coolDown()
                .ifPresent(d -> rule.check(within(d, LONGEST_COOL_DOWN), () -> "the cool-down is " + d)));
    }

    @Test
    void aStickTimeIsZeroToOneDay() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "stick answers zero to one day", "Bound what is computed; the argument is within the bounds already.");
        onEach((pool, answers) ->
                answers.stick().ifPresent(d -> rule.check(within(d, LONGEST_STICK), () -> "the stick time is " + d)));
    }

    private static boolean within(Duration duration, Duration most) {
        return !duration.isNegative() && duration.compareTo(most) <= 0;
    }

    @Test
    void theNameIsConstantAndWellFormed() {
        ContractRule rule = new ContractRule(
                "name() is constant and matches " + NAME + ": configuration and the shell know the policy by it",
                "Use one constant, for the provider and the policy.");
        PoolPolicy policy = policy();
        Optional<String> name = Optional.ofNullable(policy.name());
        rule.check(name.filter(text -> NAME.matcher(text).matches()).isPresent(), () -> "the name is " + name);
        PolicyAnswers.of(policy, Snapshots.pool().idle("eni-0", 3).build());
        rule.check(name.equals(Optional.of(policy.name())), () -> name + " became " + policy.name());
        String second = policy().name();
        rule.check(name.equals(Optional.of(second)), () -> name + " of one, " + second + " of another");
    }

    @Test
    void anAnswerIsQuick() {
        ContractRule rule = new ContractRule(
                "an answer about 1,000 resources takes at most answerTime(); the daemon itself waits 50 ms, then the"
                        + " built-in policy answers",
                "Go through the resources once; avoid searching the list for each of its entries.");
        PoolPolicy policy = policy();
        Snapshots.Builder builder = Snapshots.pool().capacity(1_200).waiting(3);
        for (int eni = 0; eni < 50; eni++) {
            builder.idle("eni-" + eni, 10).inUse("eni-" + eni, 10);
        }
        PoolSnapshot pool = builder.build();
        Duration best = Duration.ofDays(1);
        // The best of many: a busy machine and a cold JVM slow some answers down, a slow policy slows all of them.
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            PolicyAnswers.of(policy, pool);
            Duration took = Duration.ofNanos(System.nanoTime() - start).dividedBy(PolicyAnswers.QUESTIONS);
            best = took.compareTo(best) < 0 ? took : best;
        }
        Duration quickest = best;
        rule.check(quickest.compareTo(answerTime()) <= 0, () -> "the quickest of 20 took " + quickest);
    }

    // ---- What comes of the answers

    @Test
    void nobodyStarvesWhileThereIsRoom() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "where there is room for twice the pods there are, every pod that is not refused gets its address within"
                        + " waitTime()",
                "Cool-downs and reservations take addresses out of circulation: shorten them when few are left.");
        Seed.telling(seed -> {
            ModelPool pool = new ModelPool(policy(), 20);
            load(pool, new Random(seed), 10, Duration.ofHours(3));
            Duration waited = pool.longestWait();
            rule.check(waited.compareTo(waitTime()) <= 0, () -> "a pod waited " + waited);
        });
    }

    @Test
    void withoutLoadThePoolComesToRest() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "when nothing is lent and nothing comes back, a pool stops creating and disposing within two hours",
                "A target that depends on how many are idle moves what it looks at: base it on what is lent, and leave room"
                        + " between minIdle and maxIdle.");
        Seed.telling(seed -> {
            for (int busy : new int[] {0, 3, 10}) {
                ModelPool pool = new ModelPool(policy(), 20);
                load(pool, new Random(seed), busy, Duration.ofMinutes(30));
                quiet(pool, Duration.ofHours(2));
                int before = pool.changes();
                quiet(pool, Duration.ofMinutes(30));
                int changes = pool.changes() - before;
                rule.check(
                        changes == 0,
                        () -> changes + " creates and disposals in half an hour without load, with " + pool.inUse()
                                + " lent");
            }
        });
    }

    /** Pods come and go, never more than so many. */
    private static void load(ModelPool pool, Random random, int most, Duration time) {
        for (long step = time.dividedBy(ModelPool.STEP); step > 0; step--) {
            int pods = pool.inUse() + pool.waiting();
            for (int arrivals = random.nextInt(4); arrivals > 0 && pods < most; arrivals--, pods++) {
                pool.arrive(random);
            }
            for (int departures = random.nextInt(4); departures > 0; departures--) {
                pool.leave();
            }
            pool.step();
        }
    }

    private static void quiet(ModelPool pool, Duration time) {
        for (long step = time.dividedBy(ModelPool.STEP); step > 0; step--) {
            pool.step();
        }
    }
}
