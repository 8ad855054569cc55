package io.enipam.examples.churnadaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.churnadaptive.ChurnAdaptivePlugin.ChurnAdaptivePolicy;
import io.enipam.sdk.Activity;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Target;
import io.enipam.sdk.testkit.Snapshots;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChurnAdaptivePolicyTest {
    @Test
    void theWatermarksHoldUntilSomethingHappens() {
        PoolSnapshot pool = Snapshots.pool().watermarks(3, 7).build();

        assertThat(policy().target(pool)).isEqualTo(Target.between(3, 7));
        assertThat(policy("least", 5).target(pool)).isEqualTo(Target.between(5, 7));
        assertThat(policy("most", 2).target(pool)).isEqualTo(Target.between(2, 2));
    }

    @Test
    void oneAddressIsForThePodItselfAndTheOthersForThoseThatCameBefore() {
        // one a second, four seconds: Poisson of mean 4 is above 9 with less than 1 in 100; a little more for not
        // knowing
        // the rate exactly
        PoolSnapshot pool = busy(10, 0, Duration.ofSeconds(4)).build();

        assertThat(policy("safety", 1, "min_lead_time", "1s").target(pool).minIdle())
                .isEqualTo(1 + 9);
    }

    @Test
    void aLongerLeadTimeNeedsMore() {
        int quick = policy().target(busy(10, 0, Duration.ofSeconds(4)).build()).minIdle();
        int slow = policy().target(busy(10, 0, Duration.ofSeconds(40)).build()).minIdle();

        assertThat(slow).isGreaterThan(4 * quick);
    }

    @Test
    void aCreateTimeThatNobodyKnowsIsTakenForTheShortest() {
        int unknown = policy("min_lead_time", "8s", "safety", 1)
                .target(busy(10, 0, Duration.ZERO).build())
                .minIdle();
        int known = policy("min_lead_time", "1s", "safety", 1)
                .target(busy(10, 0, Duration.ofSeconds(8)).build())
                .minIdle();

        assertThat(unknown).isEqualTo(known);
    }

    @Test
    void addressesThatComeBackWidenTheBoundsAndDoNotLowerThem() {
        Target oneWay = policy().target(busy(20, 0, Duration.ofSeconds(4)).build());
        Target bothWays = policy().target(busy(20, 20, Duration.ofSeconds(4)).build());

        assertThat(bothWays.minIdle()).isEqualTo(oneWay.minIdle());
        assertThat(bothWays.maxIdle()).isGreaterThan(oneWay.maxIdle());
    }

    @Test
    void theBoundsAreNeverSoNearThatOnePodMovesBoth() {
        assertThat(policy("calm_time", "0s").target(busy(1, 1, Duration.ZERO).build()))
                .satisfies(target ->
                        assertThat(target.maxIdle() - target.minIdle()).isEqualTo(2));
    }

    @Test
    void aThousandPodsASecondAreSizedWithinTheCapacity() {
        Snapshots.Builder pool = busy(10_000, 10_000, Duration.ofSeconds(5));

        assertThat(policy("safety", 1).target(pool.capacity(100_000).build()).minIdle())
                .isBetween(5_100, 5_400);
        assertThat(policy("safety", 1).target(pool.capacity(250).build())).isEqualTo(Target.between(250, 250));
    }

    @Test
    void theEstimateTellsTheSizesAndWhatTheyWouldBe() {
        PoolSnapshot pool = busy(10, 5, Duration.ofSeconds(4)).build();
        Diagnostic estimate = new ChurnAdaptivePlugin().diagnostics().get(0);
        Target target = policy().target(pool);

        List<String> row = estimate.run(
                        new DiagnosticRequest(Settings.usual(estimate.parameters()), pool, settings(Map.of())))
                .rows()
                .get(0);
        assertThat(row)
                .containsExactly(
                        "1.002",
                        "0.500",
                        "6.000",
                        "1.000",
                        "0.01",
                        Integer.toString(target.minIdle()),
                        Integer.toString(target.maxIdle()));

        Settings often = Settings.of(estimate.parameters(), Map.of("wait_probability", List.of("0.2")));
        assertThat(estimate.run(new DiagnosticRequest(often, pool, settings(Map.of())))
                        .rows()
                        .get(0)
                        .get(5))
                .isEqualTo(Integer.toString(
                        policy("wait_probability", 0.2).target(pool).minIdle()));
    }

    private static Snapshots.Builder busy(int lent, int returned, Duration createTime) {
        return Snapshots.pool()
                .capacity(1_000)
                .activity(new Activity(
                        Duration.ofSeconds(10),
                        Collections.nCopies(60, lent),
                        Collections.nCopies(60, returned),
                        createTime));
    }

    static PoolPolicy policy(Object... namesAndValues) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put(namesAndValues[i].toString(), namesAndValues[i + 1].toString());
        }
        return new ChurnAdaptivePolicy(ChurnAdaptiveConfig.of(settings(values)));
    }

    private static Settings settings(Map<String, String> values) {
        Map<String, List<String>> written = new HashMap<>();
        values.forEach((name, value) -> written.put(name, List.of(value)));
        return Settings.of(new ChurnAdaptivePlugin().settings(), written);
    }
}
