package io.enipam.examples.namespacequota;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import io.enipam.sdk.testkit.Snapshots;
import io.enipam.sdk.testkit.TestContext;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NamespaceQuotaPolicyTest {
    private final TestContext context = TestContext.builder()
            .settings(Quotas.SCHEMA)
            .value("default_limit", "3")
            .value("limits", "shop=2", "batch=0")
            .build();
    private final PoolPolicy policy =
            new NamespaceQuotaPlugin().poolPolicies().get(0).open(context);

    @Test
    void aNamespaceGetsAddressesUpToItsQuotaAndNoMore() {
        Snapshots.Builder pool = Snapshots.pool().idle("eni-1", 5).inUse("eni-1", pod("shop/a"));
        assertThat(policy.pick(pool.build(), pod("shop/b"))).isEqualTo(Pick.longestIdle());

        PoolSnapshot full = pool.inUse("eni-1", pod("shop/b")).build();

        assertThat(policy.pick(full, pod("shop/c")))
                .isEqualTo(Pick.refuse(
                        ErrorKind.QUOTA_EXHAUSTED,
                        "namespace shop has 2 of its 2 addresses on this node: delete one of its pods here, or raise"
                                + " plugins.namespace-quota.limits.shop"));
        assertThat(policy.pick(full, pod("default/c"))).as("another namespace").isEqualTo(Pick.longestIdle());
    }

    @Test
    void aNamespaceThatIsNotNamedHasTheDefault() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 5)
                .inUse("eni-1", pod("default/a"), pod("default/b"), pod("default/c"))
                .build();

        assertThat(refusal(pool, "default/d")).endsWith("or raise plugins.namespace-quota.default_limit");
    }

    @Test
    void aQuotaOfNoneRefusesTheFirstPod() {
        assertThat(refusal(Snapshots.pool().idle("eni-1", 5).build(), "batch/job-0"))
                .startsWith("namespace batch has 0 of its 0 addresses");
    }

    @Test
    void podsThatWaitCountAsThoseThatHaveAnAddress() {
        PoolSnapshot pool = Snapshots.pool()
                .inUse("eni-1", pod("shop/a"))
                .waiting(pod("shop/b"), pod("default/x"))
                .build();

        assertThat(refusal(pool, "shop/c"))
                .contains("has 2 of its 2 addresses on this node (1 of its pods wait for one)");
    }

    @Test
    void thePodItselfDoesNotCount() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 5)
                .inUse("eni-1", pod("shop/a"), pod("shop/b"))
                .build();

        assertThat(policy.pick(pool, pod("shop/b"))).isEqualTo(Pick.longestIdle());
    }

    @Test
    void anAddressThatTheCloudTookFromAPodCountsAndOneThatIsKeptForAPodDoesNot() {
        Snapshots.Builder pool = Snapshots.pool()
                .idle("eni-1", 5)
                .inUse("eni-1", pod("shop/a"))
                .in(ResourceState.RESERVED, "eni-1", Optional.of(pod("shop/web-0")));
        assertThat(policy.pick(pool.build(), pod("shop/web-0"))).isEqualTo(Pick.longestIdle());
        assertThat(policy.pick(pool.build(), pod("shop/b"))).isEqualTo(Pick.longestIdle());

        pool.in(ResourceState.INVALID, "eni-1", Optional.of(pod("shop/lost")));

        assertThat(refusal(pool.build(), "shop/b")).contains("has 2 of its 2");
    }

    @Test
    void aQuotaThatIsRaisedCountsAtOnce() {
        PoolSnapshot pool = Snapshots.pool()
                .idle("eni-1", 5)
                .inUse("eni-1", pod("shop/a"), pod("shop/b"))
                .build();
        assertThat(policy.pick(pool, pod("shop/c"))).isInstanceOf(Pick.Refused.class);

        context.change("limits", "shop=3");

        assertThat(policy.pick(pool, pod("shop/c"))).isEqualTo(Pick.longestIdle());
    }

    @Test
    void inAllElseItIsTheWatermarkPolicy() {
        PoolSnapshot pool = Snapshots.pool().watermarks(4, 9).build();

        assertThat(policy.target(pool)).isEqualTo(Target.between(4, 9));
    }

    private String refusal(PoolSnapshot pool, String pod) {
        return policy.pick(pool, pod(pod)) instanceof Pick.Refused refused ? refused.message() : "let in";
    }

    private static PodView pod(String name) {
        return PodView.of(PodRef.parse(name));
    }
}
