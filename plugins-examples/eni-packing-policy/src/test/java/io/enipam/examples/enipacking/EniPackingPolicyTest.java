package io.enipam.examples.enipacking;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Address;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Target;
import io.enipam.sdk.testkit.Snapshots;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EniPackingPolicyTest {
    private static final PodRef POD = PodRef.parse("default/web-0");
    private static final Instant LONG_AGO = Instant.parse("2025-12-31T00:00:00Z");

    @Test
    void aPodJoinsTheFullestEniThatHasRoom() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-3", 8)
                .inUse("eni-3", 2)
                .idle("eni-1", 1)
                .inUse("eni-1", 7)
                .inUse("eni-2", 10)
                .build();

        assertThat(lent(policy(), pool)).startsWith("eni-1/");
    }

    @Test
    void anUnusedEniIsLeftAloneAsLongAsAnotherHasRoom() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 9)
                .idle("eni-2", 1)
                .inUse("eni-2", 1)
                .build();

        assertThat(lent(policy(), pool)).startsWith("eni-2/");
    }

    @Test
    void anAddressKeptForAPodHoldsItsEniAsALentOneDoes() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 3)
                .idle("eni-2", 3)
                .in(ResourceState.RESERVED, "eni-2", 1)
                .build();

        assertThat(lent(policy(), pool)).startsWith("eni-2/");
    }

    @Test
    void thePrimaryAddressIsLentBeforeItsSiblingsSinceItCannotGoBackAlone() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 3)
                .add(ResourceState.IDLE, primary("eni-1"), LONG_AGO)
                .build();

        assertThat(lent(policy(), pool)).isEqualTo("eni-1/primary");
    }

    @Test
    void amongEqualEnisTheSameIsChosenEachTime() {
        PoolSnapshot oneWay = Snapshots.pool().idle("eni-1", 3).idle("eni-2", 3).build();
        PoolSnapshot otherWay =
                Snapshots.pool().idle("eni-2", 3).idle("eni-1", 3).build();

        assertThat(lent(policy(), oneWay)).startsWith("eni-2/");
        assertThat(lent(policy(), otherWay)).startsWith("eni-2/");
    }

    @Test
    void theWatermarksHoldWhileNothingIsOver() {
        PoolSnapshot pool = Snapshots.pool()
                .watermarks(2, 5)
                .inUse("eni-1", 5)
                .idle("eni-1", 5)
                .build();

        assertThat(policy().target(pool)).isEqualTo(Target.between(2, 5));
    }

    @Test
    void whatIsOverGoesFromTheEmptiestEni() {
        PoolSnapshot pool = Snapshots.pool()
                .watermarks(2, 5)
                .idle("eni-1", 3)
                .inUse("eni-1", 7)
                .idle("eni-2", 4)
                .inUse("eni-2", 1)
                .build();

        Target target = policy("give_back_unused", false).target(pool);

        assertThat(target.maxIdle()).isEqualTo(5);
        assertThat(eniOf(target.shedFirst().get(0))).isEqualTo("eni-2");
        assertThat(eniOf(target.shedFirst().get(1))).isEqualTo("eni-2");
        assertThat(target.shedFirst())
                .as("all idle ones, should more be over by then")
                .hasSize(7);
    }

    @Test
    void aPrimaryAddressWithSiblingsDoesNotCostAFullerEniAnAddress() {
        PoolSnapshot pool = Snapshots.pool()
                .watermarks(2, 5)
                .add(ResourceState.IDLE, primary("eni-2"), LONG_AGO)
                .idle("eni-2", 1)
                .idle("eni-1", 5)
                .inUse("eni-1", 5)
                .build();

        // two are over; the sibling goes now, the primary address by the next answer
        Target target = policy("give_back_unused", false).target(pool);

        assertThat(target.maxIdle()).isEqualTo(6);
        assertThat(eniOf(target.shedFirst().get(0))).isEqualTo("eni-2");
        assertThat(target.shedFirst().get(1).value()).isEqualTo("eni-2/primary");
    }

    @Test
    void aPrimaryAddressWaitsForASiblingThatIsLeaving() {
        Snapshots.Builder pool = Snapshots.pool()
                .watermarks(2, 5)
                .add(ResourceState.IDLE, primary("eni-2"), LONG_AGO)
                .idle("eni-1", 5)
                .inUse("eni-1", 5);

        assertThat(policy().target(pool.build()).maxIdle()).isEqualTo(5);
        assertThat(policy().target(pool.in(ResourceState.DISPOSING, "eni-2", 1).build())
                        .maxIdle())
                .isEqualTo(6);
    }

    @Test
    void anUnusedEniGoesBackWithinTheWatermarksIfTheOthersHaveEnough() {
        Snapshots.Builder pool = Snapshots.pool()
                .watermarks(2, 10)
                .idle("eni-1", 4)
                .inUse("eni-1", 6)
                .idle("eni-2", 3);

        Target target = policy("slack", 2).target(pool.build());

        assertThat(target.maxIdle()).isEqualTo(4);
        assertThat(target.shedFirst().subList(0, 3))
                .extracting(EniPackingPolicyTest::eniOf)
                .containsOnly("eni-2");
        assertThat(policy("slack", 3).target(pool.build()))
                .as("four are not the lower watermark and three")
                .isEqualTo(Target.between(2, 10));
        assertThat(policy("give_back_unused", false).target(pool.build())).isEqualTo(Target.between(2, 10));
    }

    @Test
    void anEniThatWasInUseAMomentAgoStays() {
        Snapshots.Builder pool = Snapshots.pool()
                .watermarks(0, 10)
                .idle("eni-1", 4)
                .inUse("eni-1", 6)
                .add(ResourceState.IDLE, primary("eni-2"), Instant.parse("2025-12-31T23:59:00Z"));

        assertThat(policy("quiet_time", "2m").target(pool.build()).maxIdle()).isEqualTo(10);
        assertThat(policy("quiet_time", "1m").target(pool.build()).maxIdle()).isEqualTo(4);
    }

    @Test
    void nothingGoesBackEarlyWhileCallersWaitOrAddressesComeIn() {
        Snapshots.Builder pool = Snapshots.pool()
                .watermarks(0, 10)
                .idle("eni-1", 4)
                .inUse("eni-1", 6)
                .idle("eni-2", 3);

        assertThat(policy().target(pool.waiting(1).build()).maxIdle()).isEqualTo(10);
        assertThat(policy().target(pool.waiting(0).creating(1).build()).maxIdle())
                .isEqualTo(10);
        assertThat(policy().target(pool.creating(0).build()).maxIdle()).isEqualTo(4);
    }

    @Test
    void anEniWithAnAddressThatTheCloudLostStaysUntilItIsGone() {
        PoolSnapshot pool = Snapshots.pool()
                .watermarks(0, 10)
                .idle("eni-1", 4)
                .inUse("eni-1", 6)
                .idle("eni-2", 3)
                .in(ResourceState.INVALID, "eni-2", 1)
                .build();

        assertThat(policy().target(pool).maxIdle()).isEqualTo(10);
    }

    @Test
    void addressesThatHangOnNothingGoBackOneByOne() {
        Snapshots.Builder pool = Snapshots.pool().watermarks(0, 2);
        for (int i = 0; i < 4; i++) {
            pool.idle("", 1);
        }

        assertThat(policy("give_back_unused", false).target(pool.build()).maxIdle())
                .isEqualTo(2);
    }

    static PoolPolicy policy(Object... namesAndValues) {
        Map<String, List<String>> written = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            written.put(namesAndValues[i].toString(), List.of(namesAndValues[i + 1].toString()));
        }
        return new EniPackingPolicy(EniPackingConfig.of(Settings.of(new EniPackingPlugin().settings(), written)));
    }

    private static Resource primary(String eni) {
        return new Resource(
                new ResourceId(eni + "/primary"),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.99.0.1/8")),
                eni,
                Map.of(Resource.PRIMARY, "true"));
    }

    private static String lent(PoolPolicy policy, PoolSnapshot pool) {
        return policy.pick(pool, POD) instanceof Pick.Chosen chosen
                ? chosen.id().value()
                : "the longest idle";
    }

    private static String eniOf(ResourceId id) {
        return id.value().substring(0, id.value().indexOf('/'));
    }
}
