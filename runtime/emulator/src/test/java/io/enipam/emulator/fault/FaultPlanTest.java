package io.enipam.emulator.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.fault.Effect.Delay;
import io.enipam.emulator.fault.Effect.DropAnswer;
import io.enipam.emulator.fault.Effect.Fail;
import io.enipam.emulator.fault.Effect.Throttle;
import io.enipam.emulator.fault.FaultPlan.FaultDecision;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
    private static final String ASSIGN = "AssignPrivateIpAddresses";
    private static final String ATTACH = "AttachNetworkInterface";
    private static final int CALLS = 2000;

    private final FaultPlan plan = plan(7);

    @Test
    void anEmptyPlanLeavesEveryCallAlone() {
        assertThat(plan.onCall(ASSIGN, Optional.empty())).isEqualTo(FaultDecision.NONE);
    }

    @Test
    void theNthCallOfAnApiIsHitAndNoOther() {
        plan.add(FaultRule.on(ASSIGN).nth(3).does(new DropAnswer()));

        assertThat(hits(plan, ASSIGN, 10)).containsExactly(3);
        assertThat(hits(plan, ATTACH, 10)).isEmpty();
    }

    @Test
    void everyNthCallIsHitSoManyTimesAtMost() {
        plan.add(FaultRule.on(ASSIGN).every(4).atMost(2).does(new DropAnswer()));

        assertThat(hits(plan, ASSIGN, 20)).containsExactly(4, 8);
    }

    @Test
    void aRuleOnAllApisCountsThemTogetherAndSparesTheMetadata() {
        plan.add(FaultRule.on("*").nth(2).does(new DropAnswer()));

        assertThat(hits(plan, "metadata/mac", 5)).isEmpty();
        assertThat(hits(plan, ASSIGN, 1)).isEmpty();
        assertThat(hits(plan, ATTACH, 1)).containsExactly(1);
    }

    @Test
    void aRuleOnMetadataSeesThePathsThatBeginSo() {
        plan.add(FaultRule.on("metadata/ram/").does(new Fail(500, "InternalError", "no", false)));

        assertThat(hits(plan, "metadata/ram/security-credentials/", 1)).hasSize(1);
        assertThat(hits(plan, "metadata/mac", 1)).isEmpty();
        assertThat(hits(plan, ASSIGN, 1)).isEmpty();
    }

    @Test
    void aRuleOnOneEniSeesNoOther() {
        plan.add(FaultRule.on("*").eni("eni-a").nth(1).does(new DropAnswer()));

        assertThat(plan.onCall(ATTACH, Optional.of("eni-b")).hasEffect()).isFalse();
        assertThat(plan.onCall(ATTACH, Optional.of("eni-a")).hasEffect()).isTrue();
    }

    @Test
    void aProbabilityIsMetWithinReason() {
        plan.add(FaultRule.on(ASSIGN).percent(10).does(new DropAnswer()));

        assertThat(hits(plan, ASSIGN, CALLS).size()).isBetween(CALLS / 20, CALLS / 5);
    }

    @Test
    void oneSeedSpoilsTheSameCallsAgainAndAnotherSeedOthers() {
        assertThat(drawnWith(7)).isEqualTo(drawnWith(7)).isNotEqualTo(drawnWith(8));
    }

    @Test
    void whatOneRuleDrawsDoesNotHangOnOtherRulesOrCalls() {
        FaultPlan busy = plan(7);
        busy.add(FaultRule.on(ASSIGN).percent(10).does(new DropAnswer()));
        busy.add(FaultRule.on(ATTACH).percent(50).does(new DropAnswer()));
        List<Integer> hits = IntStream.rangeClosed(1, CALLS)
                .filter(n -> {
                    busy.onCall(ATTACH, Optional.empty());
                    return busy.onCall(ASSIGN, Optional.empty()).hasEffect();
                })
                .boxed()
                .toList();

        assertThat(hits).isEqualTo(drawnWith(7));
    }

    @Test
    void delaysAddUpAndTheFirstEndingHidesTheRulesBehindIt() {
        plan.add(FaultRule.on("*").does(new Delay(Duration.ofSeconds(1))));
        plan.add(FaultRule.on(ASSIGN).does(new Delay(Duration.ofSeconds(2))));
        plan.add(FaultRule.on(ASSIGN).fail("InternalError"));
        long hidden = plan.add(FaultRule.on(ASSIGN).does(new DropAnswer()));

        FaultDecision verdict = plan.onCall(ASSIGN, Optional.empty());
        assertThat(verdict.delay()).isEqualTo(Duration.ofSeconds(3));
        assertThat(verdict.ending().orElseThrow()).isInstanceOf(Fail.class);
        assertThat(verdict.rules()).containsExactly(1L, 2L, 3L);
        assertThat(plan.find(hidden).orElseThrow().seen()).isZero();
    }

    @Test
    void aRuleThatIsRemovedActsNoMoreAndItsIdIsNotGivenAgain() {
        long first = plan.add(FaultRule.on(ASSIGN).does(new DropAnswer()));
        assertThat(plan.remove(first)).isTrue();
        assertThat(plan.remove(first)).isFalse();
        assertThat(hits(plan, ASSIGN, 1)).isEmpty();

        assertThat(plan.add(FaultRule.on(ASSIGN).does(new DropAnswer()))).isEqualTo(first + 1);
        assertThat(plan.clear()).isEqualTo(1);
        assertThat(plan.list()).isEmpty();
    }

    @Test
    void theListTellsHowOftenARuleSawAndActed() {
        long id = plan.add(FaultRule.on(ASSIGN).every(2).does(new DropAnswer()));
        hits(plan, ASSIGN, 5);

        assertThat(plan.list())
                .containsExactly(
                        new FaultPlan.Entry(id, FaultRule.on(ASSIGN).every(2).does(new DropAnswer()), 5, 2));
    }

    @Test
    void manyThreadsSpendAtMostWhatTheRuleHas() throws Exception {
        plan.add(FaultRule.on(ASSIGN).percent(50).atMost(100).does(new DropAnswer()));

        ExecutorService threads = Executors.newFixedThreadPool(8);
        int spoilt = 0;
        try {
            Callable<Boolean> call = () -> plan.onCall(ASSIGN, Optional.empty()).hasEffect();
            for (Future<Boolean> answer : threads.invokeAll(Collections.nCopies(CALLS, call))) {
                spoilt += answer.get() ? 1 : 0;
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(spoilt).isEqualTo(100);
        assertThat(plan.list().get(0).seen()).isEqualTo(CALLS);
    }

    @Test
    void whatCannotBeIsRefusedWithItsReason() {
        refused(() -> plan.add(FaultRule.on("AssignPrivateIp").does(new DropAnswer())), "no action 'AssignPrivateIp'");
        refused(() -> FaultRule.on(ASSIGN).nth(0), "counted from 1");
        refused(() -> FaultRule.on(ASSIGN).every(-1), "counted from 1");
        refused(() -> FaultRule.on(ASSIGN).percent(0), "percent");
        refused(() -> FaultRule.on(ASSIGN).percent(100.1), "percent");
        refused(() -> FaultRule.on(ASSIGN).percent(Double.NaN), "percent");
        refused(() -> FaultRule.on(ASSIGN).atMost(0).does(new DropAnswer()), "at least once");
        refused(() -> FaultRule.on(ASSIGN).fail("Nonsense"), "Nonsense is not known");
        refused(() -> FaultRule.on(ASSIGN).does(new Fail(200, "Fine", "fine", false)), "400 to 599");
        refused(() -> FaultRule.on(ASSIGN).does(new Fail(400, "not a code", "", false)), "not a code");
        refused(() -> FaultRule.on(ASSIGN).does(new Delay(Duration.ZERO)), "more than zero");
        refused(() -> FaultRule.on(ASSIGN).does(new Delay(Duration.ofHours(2))), "at most an hour");
        refused(() -> FaultRule.on("metadata").does(new Throttle()), "metadata");
        refused(() -> FaultRule.on("metadata").eni("eni-a").does(new DropAnswer()), "names no ENI");
    }

    @Test
    void aKnownCodeBringsItsStatusAndAMessageWithoutBlanks() {
        assertThat(FaultRule.on(ASSIGN).fail("Throttling.User").effect())
                .isEqualTo(new Fail(400, "Throttling.User", "Request was denied due to user flow control.", false));
        for (String code : ApiError.codes()) {
            assertThat(Effect.Fail.known(code, false).orElseThrow().message())
                    .as(code)
                    .isNotBlank()
                    .doesNotContain("%s");
        }
        assertThat(ApiError.find("InvalidEniId.NotFound").orElseThrow().httpStatus())
                .isEqualTo(404);
    }

    private static void refused(ThrowingCallable call, String reason) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(reason);
    }

    private static List<Integer> drawnWith(long seed) {
        FaultPlan fresh = plan(seed);
        fresh.add(FaultRule.on(ASSIGN).percent(10).does(new DropAnswer()));
        return hits(fresh, ASSIGN, CALLS);
    }

    private static List<Integer> hits(FaultPlan plan, String api, int calls) {
        return IntStream.rangeClosed(1, calls)
                .filter(n -> plan.onCall(api, Optional.empty()).hasEffect())
                .boxed()
                .toList();
    }

    private static FaultPlan plan(long seed) {
        return new FaultPlan(seed, Set.of(ASSIGN, ATTACH));
    }
}
