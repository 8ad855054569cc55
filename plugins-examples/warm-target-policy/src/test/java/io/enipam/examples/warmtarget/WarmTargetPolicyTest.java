package io.enipam.examples.warmtarget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.Address;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Target;
import io.enipam.sdk.testkit.Snapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WarmTargetPolicyTest {
    private static final WarmTargetPlugin PLUGIN = new WarmTargetPlugin();

    /** The example cases of AWS's page on the three targets: t3.small has 3 ENIs of 3 addresses, p3dn.24xlarge 15 of 49. */
    @ParameterizedTest(name = "{0}: warm ENI {1}, warm IP {2}, minimum {3}, {4} pods: {5} addresses")
    @CsvSource({
        "t3.small,      1, 0,  0,  0,   3,  3, 3",
        "t3.small,      1, 0,  0,  5,   9,  4, 3 3 3",
        "t3.small,      1, 0,  0,  9,   9,  0, 3 3 3",
        "t3.small,      0, 1,  1,  0,   1,  1, 1",
        "t3.small,      0, 1,  1,  5,   6,  1, 3 3",
        "t3.small,      0, 1,  1,  9,   9,  0, 3 3 3",
        "t3.small,      0, 2,  5,  0,   5,  5, 3 2",
        "t3.small,      0, 2,  5,  5,   7,  2, 3 3 1",
        "t3.small,      0, 2,  5,  9,   9,  0, 3 3 3",
        "p3dn.24xlarge, 1, 0,  0,  0,  49, 49, 49",
        "p3dn.24xlarge, 1, 0,  0,  3,  98, 95, 49 49",
        "p3dn.24xlarge, 1, 0,  0, 95, 147, 52, 49 49 49",
        "p3dn.24xlarge, 0, 5, 10,  0,  10, 10, 10",
        "p3dn.24xlarge, 0, 5, 10,  7,  12,  5, 12",
        "p3dn.24xlarge, 0, 5, 10, 15,  20,  5, 20",
        "p3dn.24xlarge, 0, 5, 10, 45,  50,  5, 49 1",
    })
    void theNodeEndsUpAsInTheTableOfAws(
            String instance, int warmEni, int warmIp, int minimumIp, int pods, int total, int unused, String perEni) {
        boolean small = instance.equals("t3.small");
        int addresses = small ? 3 : 49;
        WarmTargetSimulation node = new WarmTargetSimulation(
                policy(
                        "warm_eni_target", warmEni,
                        "warm_ip_target", warmIp,
                        "minimum_ip_target", minimumIp,
                        "addresses_per_eni", addresses),
                small ? 3 : 15,
                addresses);

        node.settle().start(pods);

        assertThat(node.total()).isEqualTo(total);
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(unused);
        assertThat(node.perEniNow())
                .isEqualTo(
                        Arrays.stream(perEni.split(" ")).map(Integer::valueOf).toList());
        assertThat(node.disposals()).isZero();
    }

    /** AWS's two formulas, computed as AWS writes them, beside the one this policy uses. */
    @Test
    void whatAwsCallsShortAndOverIsTheDistanceFromTheTarget() {
        for (int warm = 0; warm <= 6; warm++) {
            for (int minimum = warm == 0 ? 1 : 0; minimum <= 12; minimum += 3) {
                PoolPolicy policy = policy("warm_ip_target", warm, "minimum_ip_target", minimum);
                for (int inUse = 0; inUse <= 14; inUse++) {
                    for (int idle = 0; idle <= 14; idle++) {
                        int total = inUse + idle;
                        int lacking = Math.max(Math.max(warm - idle, minimum - total), 0);
                        int over = Math.max(Math.min(idle - warm, total - minimum), 0);
                        Target target = policy.target(Snapshots.pool()
                                .inUse("eni-1", inUse)
                                .idle("eni-1", idle)
                                .build());
                        assertThat(Math.max(0, target.minIdle() - idle)).isEqualTo(lacking);
                        assertThat(Math.max(0, idle - target.maxIdle())).isEqualTo(over);
                    }
                }
            }
        }
    }

    @Test
    void theMinimumAloneIsAWarmTargetOfZeroAndSwitchesWholeEnisOff() {
        WarmTargetSimulation node = new WarmTargetSimulation(policy("minimum_ip_target", 4, "warm_eni_target", 3), 3, 10);

        assertThat(node.settle().total()).isEqualTo(4);
        node.start(4);
        assertThat(node.total()).isEqualTo(4);
    }

    @Test
    void withNoTargetAtAllOneAddressIsEnoughAndTheLastOneTakenFillsTheNextEni() {
        WarmTargetSimulation node = new WarmTargetSimulation(policy("warm_eni_target", 0, "addresses_per_eni", 3), 3, 3);

        assertThat(node.settle().total()).isEqualTo(3);
        assertThat(node.start(2).total()).isEqualTo(3);
        assertThat(node.start(1).perEniNow()).containsExactly(3, 3);
    }

    @Test
    void addressesOverTheWarmTargetGoBack() {
        WarmTargetSimulation node = new WarmTargetSimulation(policy("warm_ip_target", 2), 3, 10);
        node.settle().start(12);

        node.stop(5, "eni-0000", ResourceState.IDLE).settle();

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
        assertThat(node.total()).isEqualTo(9);
    }

    @Test
    void whatIsOverGoesFromAnEniThatNobodyUsesAndThePrimaryAddressLast() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 3)
                .inUse("eni-1", 5)
                .idle("eni-2", 2)
                .build();

        Target target = policy("warm_ip_target", 3).target(pool);

        assertThat(target.shedFirst())
                .allMatch(id -> id.value().startsWith("eni-2/"))
                .hasSize(2);
    }

    @Test
    void aCoolingAddressCountsInTheMinimumButIsNotWarm() {
        PoolSnapshot pool = Snapshots.pool()
                .inUse("eni-1", 3)
                .idle("eni-1", 2)
                .in(ResourceState.COOLING, "eni-1", 4)
                .build();

        assertThat(policy("warm_ip_target", 2, "minimum_ip_target", 9).target(pool))
                .isEqualTo(Target.between(2, 2));
        assertThat(policy("warm_ip_target", 2, "minimum_ip_target", 10).target(pool))
                .isEqualTo(Target.between(3, 3));
    }

    @Test
    void aCoolingAddressIsWarmWhereAwsIsFollowedToTheLetter() {
        PoolSnapshot pool = Snapshots.pool()
                .inUse("eni-1", 3)
                .idle("eni-1", 2)
                .in(ResourceState.COOLING, "eni-1", 4)
                .build();
        PoolPolicy policy = policy(Map.of("warm_ip_target", "5", "cooling", "warm"));

        // six are available, five are wanted: four cool, so one idle one is enough
        assertThat(policy.target(pool).minIdle()).isEqualTo(1);
        assertThat(policy.target(pool).maxIdle()).isEqualTo(1);
    }

    @Test
    void aPodReplacedAtOnceCostsNoCallOfTheCloudWhereCoolingCountsAsWarm() {
        WarmTargetSimulation exact = new WarmTargetSimulation(policy(Map.of("warm_ip_target", "3", "cooling", "warm")), 3, 10);
        WarmTargetSimulation apart = new WarmTargetSimulation(policy(Map.of("warm_ip_target", "3", "cooling", "apart")), 3, 10);

        for (WarmTargetSimulation node : List.of(exact, apart)) {
            node.settle().start(5);
            assertThat(node.creates()).isEqualTo(8);
            node.stop(1, "eni-0000", ResourceState.COOLING).start(1).cooled().settle();
            assertThat(node.count(ResourceState.IDLE)).isEqualTo(3);
        }

        assertThat(exact.creates() + exact.disposals()).isEqualTo(8);
        assertThat(apart.creates() + apart.disposals()).isEqualTo(8 + 2);
    }

    @Test
    void anEniGoesBackWholeOnlyOnceOneMoreThanTheTargetIsFree() {
        WarmTargetSimulation node = new WarmTargetSimulation(policy("warm_eni_target", 1, "addresses_per_eni", 3), 5, 3);
        node.settle().start(4);
        assertThat(node.perEniNow()).containsExactly(3, 3, 3);

        node.pass(Duration.ofMinutes(5)).settle();
        assertThat(node.perEniNow())
                .as("five are available, not yet two ENIs' worth")
                .containsExactly(3, 3, 3);

        node.stop(1, "eni-0003", ResourceState.IDLE).pass(Duration.ofMinutes(5)).settle();
        assertThat(node.perEniNow()).containsExactly(3, 3);
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(3);
    }

    @Test
    void anEniGoesBackPrimaryLastAndNothingIsMadeInItsPlace() {
        WarmTargetSimulation node = new WarmTargetSimulation(policy("warm_eni_target", 1, "addresses_per_eni", 10), 5, 10);
        node.settle().start(15);
        assertThat(node.perEniNow()).containsExactly(10, 10, 10);
        int creates = node.creates();

        node.stop(5, "eni-0010", ResourceState.IDLE).settle();
        assertThat(node.perEniNow()).as("too young to go").containsExactly(10, 10, 10);
        node.pass(Duration.ofMinutes(1)).settle();

        assertThat(node.perEniNow()).containsExactly(10, 10);
        assertThat(node.creates()).isEqualTo(creates);
    }

    @Test
    void anEniWithACoolingAddressStays() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 10)
                .idle("eni-2", 10)
                .idle("eni-3", 9)
                .in(ResourceState.COOLING, "eni-3", 1)
                .build();

        Target target = policy("warm_eni_target", 2, "addresses_per_eni", 9).target(pool);

        assertThat(target.shedFirst()).allMatch(id -> id.value().startsWith("eni-1/"));
    }

    @Test
    void aPrimaryAddressWaitsForASiblingThatIsLeavingAndNoOtherGoesInItsPlace() {
        Resource primary = new Resource(
                new ResourceId("eni-2/primary"),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.99.0.1/8")),
                "eni-2",
                Map.of(Resource.PRIMARY, "true"));
        Snapshots.Builder pool = Snapshots.pool()
                .idle("eni-1", 10)
                .add(ResourceState.IDLE, primary, Instant.parse("2025-12-31T00:00:00Z"));
        PoolPolicy policy = policy("warm_eni_target", 1, "addresses_per_eni", 10);

        assertThat(policy.target(pool.build())).isEqualTo(new Target(10, 10, List.of(primary.id())));
        assertThat(policy.target(pool.in(ResourceState.DISPOSING, "eni-2", 1).build()))
                .isEqualTo(Target.between(10, 11));
    }

    @Test
    void nothingGoesBackWhileCallersWaitOrAddressesComeIn() {
        Snapshots.Builder pool = Snapshots.pool().idle("eni-1", 10).idle("eni-2", 10);
        PoolPolicy policy = policy("warm_eni_target", 1);

        assertThat(policy.target(pool.build()).maxIdle()).isEqualTo(10);
        assertThat(policy.target(pool.waiting(1).build()).maxIdle()).isEqualTo(100);
        assertThat(policy.target(pool.waiting(0).creating(1).build()).maxIdle()).isEqualTo(100);
    }

    @Test
    void theSizeOfAnEniIsLearntFromTheFullestOne() {
        WarmTargetSimulation node = new WarmTargetSimulation(policy("warm_eni_target", 1), 5, 12);
        node.settle();
        assertThat(node.total()).as("nothing is known of ENIs yet").isEqualTo(1);

        node.start(5);

        assertThat(node.perEniNow()).containsExactly(12, 12);
    }

    @Test
    void theLongerCoolDownHolds() {
        PoolSnapshot pool = Snapshots.pool().inUse("eni-1", 1).build();
        PoolPolicy policy = policy("warm_ip_target", 1);

        assertThat(policy.release(pool, pool.resources().get(0).resource(), Duration.ofSeconds(3)))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.release(pool, pool.resources().get(0).resource(), Duration.ofMinutes(2)))
                .isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void moreThanThePoolCanHoldIsNeverAskedFor() {
        PoolSnapshot pool = Snapshots.pool().capacity(8).inUse("eni-1", 8).build();

        assertThat(policy("warm_ip_target", 5_000).target(pool).minIdle()).isEqualTo(8);
        assertThat(policy("warm_eni_target", 100, "addresses_per_eni", 1_000)
                        .target(pool)
                        .minIdle())
                .isEqualTo(8);
    }

    @Test
    void aTargetBelowZeroIsRefusedWithTheRest() {
        Map<String, List<String>> written = Map.of("warm_ip_target", List.of("-1"), "warm_eni", List.of("1"));

        assertThatThrownBy(() -> Settings.of(PLUGIN.settings(), written))
                .hasMessageContaining("warm_ip_target")
                .hasMessageContaining("warm_eni: there is no such setting");
    }

    static PoolPolicy policy(Object... namesAndValues) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put(namesAndValues[i].toString(), namesAndValues[i + 1].toString());
        }
        return policy(values);
    }

    static PoolPolicy policy(Map<String, String> values) {
        return new WarmTargetPolicy(WarmTargetConfig.of(settings(values)));
    }

    static Settings settings(Map<String, String> values) {
        Map<String, List<String>> written = new HashMap<>();
        values.forEach((name, value) -> written.put(name, List.of(value)));
        return Settings.of(PLUGIN.settings(), written);
    }
}
