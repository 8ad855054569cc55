package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Policies that answer when the test says so, and policies that are exchanged. */
class AsyncPolicyTest {
    private final Silent silent = new Silent();

    @Test
    void aPolicyThatHangsInPickCostsOneAddNoMoreThanThePortsPatience() {
        EngineFixture node = started(3, 2, 2);
        silent.mute.add("pick");

        node.pods.put("default/a");
        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", Duration.ofSeconds(10));
        assertThat(add).isNotDone();
        silent.giveUp();
        node.time.settle();

        assertThat(add).isCompleted();
    }

    @Test
    void aPolicyThatHangsInPickDelaysNobodyElse() {
        EngineFixture node = started(3, 2, 2);
        silent.mute.add("pick");
        node.pods.put("default/a");
        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", Duration.ofSeconds(10));
        silent.mute.clear();

        Lease other = node.add("default/b", "c-b");

        assertThat(add).isNotDone();
        assertThat(other.resource()).isNotNull();
        assertThat(node.count(ResourceState.IDLE)).as("the provisioner works").isEqualTo(2);
    }

    @Test
    void anAnswerAboutAPoolThatHasLetAnotherPodInIsAskedForAgain() {
        EngineFixture node = started(3, 2, 2);
        silent.policy = PolicyRefusalTest.quota(1);
        silent.late.add("pick");
        node.pods.put("shop/a");
        node.pods.put("shop/b");
        CompletableFuture<AddOutcome> one = node.adding("shop/a", "c-a", Duration.ofSeconds(10));
        CompletableFuture<AddOutcome> two = node.adding("shop/b", "c-b", Duration.ofSeconds(10));

        // both were let in, each by a snapshot without the other
        silent.giveUp();
        node.time.settle();

        assertThat(one).isCompleted();
        assertThat(EngineFixture.code(two)).isEqualTo(ErrorCode.REFUSED);
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);
    }

    @Test
    void anAddEndsInTimeThoughNobodyAnswersForThePolicy() {
        EngineFixture node = started(3, 2, 2);
        silent.mute.add("pick");
        node.pods.put("default/a");
        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", Duration.ofSeconds(10));

        node.time.advance(Duration.ofSeconds(10));
        assertThat(EngineFixture.code(add)).isIn(ErrorCode.POOL_EXHAUSTED, ErrorCode.DEADLINE_EXCEEDED);
        silent.giveUp();
        node.time.settle();

        assertThat(node.count(ResourceState.IN_USE))
                .as("a late answer lends nothing")
                .isZero();
        assertThat(node.add("default/a", "c-2").owner())
                .as("the pod's turn is free")
                .isEqualTo(EngineFixture.owner("c-2"));
    }

    @Test
    void aPolicyThatHangsInTargetIsAskedOnceHoweverMuchHappens() {
        EngineFixture node = started(9, 1, 5);
        silent.mute.add("target");
        node.add("default/a", "c-a");
        int asked = silent.waiting.size();
        for (int i = 0; i < 5; i++) {
            node.pods.put("default/p" + i);
            node.adding("default/p" + i, "c-" + i, Duration.ofSeconds(5));
        }

        assertThat(silent.waiting).hasSize(asked).hasSize(1);
        silent.mute.clear();
        silent.giveUp();
        node.time.settle();
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(6);
    }

    /** On a busy node one late answer left the pool at the built-in watermarks until the next garbage collection. */
    @Test
    void aPolicyThatWasLateOnceIsAskedAgainThoughNoPodComesOrGoes() {
        EngineFixture node = started(9, 1, 5);
        lateOnce(node);
        assertThat(node.count(ResourceState.IDLE)).isNotEqualTo(4);

        node.time.advance(Duration.ofSeconds(2));

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(4);
    }

    @Test
    void aPolicyThatItsBreakerKeepsFromAnsweringIsAskedAgainOnceItMay() {
        EngineFixture node = started(9, 1, 5);
        silent.down = true;
        lateOnce(node);
        node.time.advance(Duration.ofSeconds(10));
        assertThat(node.count(ResourceState.IDLE)).isNotEqualTo(4);
        silent.down = false;

        node.time.advance(Duration.ofSeconds(2));

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(4);
    }

    /** It wants four idle, and was late when it was asked for that. */
    private void lateOnce(EngineFixture node) {
        silent.policy = new Warm("silent", 4);
        silent.mute.add("target");
        boolean down = silent.down;
        silent.down = false;
        node.add("default/a", "c-a");
        silent.down = down;
        silent.noAnswer(); // and what happened meanwhile has it asked at once
        node.time.settle();
        silent.giveUp();
        node.time.settle();
    }

    @Test
    void aDelGoesOnWhenThePolicysAnswerComes() {
        EngineFixture node = started(3, 1, 3);
        Lease lease = node.add("default/a", "c-a");
        silent.mute.add("release");

        var del = node.engine.del(lease.owner());
        node.time.settle();
        assertThat(del).isNotDone();
        silent.giveUp();
        node.time.settle();

        assertThat(del).isCompleted();
        assertThat(node.rows()).isEmpty();
    }

    @Test
    void anotherPolicyIsInForceAtOnceThoughTheFormerOneStillOwesAnAnswer() {
        EngineFixture node = started(9, 1, 5);
        silent.mute.add("target");
        node.add("default/a", "c-a");

        node.engine.use(new DirectPolicy(new Warm("warm", 4), node.events));
        node.time.settle();

        assertThat(node.engine.pool().summary().policy()).isEqualTo("warm");
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(4);
        silent.giveUp();
        node.time.settle();
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(4);
    }

    @Test
    void aPolicyThatIsDownLeavesTheEngineToItsOwnRules() {
        EngineFixture node = started(9, 3, 3);
        silent.mute.add("target");
        silent.mute.add("pick");
        silent.down = true;

        node.add("default/a", "c-a");

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(3);
        assertThat(silent.waiting).isEmpty();
    }

    @Test
    void aWishForMoreThanThereCanBeMakesWhatThereCanBe() {
        EngineFixture node =
                new EngineFixture(6, EngineFixture.config(1, 2, Duration.ZERO), new Warm("greedy", Integer.MAX_VALUE));
        node.start();
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(6);

        for (int i = 0; i < 8; i++) {
            node.pods.put("default/p" + i);
            node.adding("default/p" + i, "c-" + i, Duration.ofSeconds(5));
        }

        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(6);
        assertThat(node.engine.pool().summary().waiting()).isEqualTo(2);
        assertThat(node.engine.pool().entries()).hasSize(6);
    }

    @Test
    void aTargetThatFlapsMakesAndGivesBackNothingInTurn() {
        EngineFixture node = started(9, 0, 0);
        boolean[] up = {false};
        silent.policy = new PoolPolicy() {
            @Override
            public String name() {
                return "flapping";
            }

            @Override
            public Target target(PoolSnapshot pool) {
                up[0] = !up[0];
                return up[0] ? Target.between(6, 6) : Target.between(0, 0);
            }
        };
        for (int i = 0; i < 20; i++) {
            node.engine.reconfigure(node.config);
            node.time.advance(Duration.ofSeconds(1));
        }

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(6);
        assertThat(node.events.types().stream().filter("ResourceCreated"::equals))
                .as("the first turn is followed, and no other")
                .hasSizeLessThanOrEqualTo(12);
        assertThat(node.events.types().stream().filter("ResourceDisposed"::equals))
                .hasSizeLessThanOrEqualTo(6);
        assertThat(node.engine.policyTrouble().orElseThrow()).startsWith("policy silent changes its target");

        silent.policy = () -> "calm";
        node.time.advance(Duration.ofMinutes(2));
        assertThat(node.count(ResourceState.IDLE))
                .as("what is held back goes in the end")
                .isZero();
    }

    private EngineFixture started(int capacity, int minIdle, int maxIdle) {
        EngineFixture node = new EngineFixture(capacity, EngineFixture.config(minIdle, maxIdle, Duration.ZERO));
        node.policy = silent;
        node.crash();
        node.start();
        return node;
    }

    /** Wants a number of idle resources. */
    private record Warm(String name, int idle) implements PoolPolicy {
        @Override
        public Target target(PoolSnapshot pool) {
            return Target.between(idle, idle);
        }
    }

    /** Does not answer questions the test names until it gives up on them; those that are late it answers then. */
    private static final class Silent implements PolicyPort {
        private PoolPolicy policy = () -> "silent";
        private final Set<String> mute = new HashSet<>();
        private final Set<String> late = new HashSet<>();
        private final List<Runnable> waiting = new ArrayList<>();
        private boolean down;

        @Override
        public String name() {
            return "silent";
        }

        @Override
        public boolean watermarks() {
            return down;
        }

        @Override
        public <T> void ask(
                String question, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<Optional<T>> then) {
            if (mute.contains(question)) {
                waiting.add(() -> then.accept(Optional.empty()));
            } else if (late.contains(question)) {
                Optional<T> answer = Optional.of(call.apply(policy)).filter(valid);
                waiting.add(() -> then.accept(answer));
            } else {
                then.accept(Optional.of(call.apply(policy)).filter(valid));
            }
        }

        private void giveUp() {
            mute.clear();
            late.clear();
            noAnswer();
        }

        private void noAnswer() {
            List<Runnable> all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(Runnable::run);
        }
    }
}
