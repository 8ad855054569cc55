package io.enipam.diagnostics.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.diagnostics.sources.OperatorQuota.Budget;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** However often people look, nine tenths of what the node may ask are left for pods. */
class OperatorQuotaTest {
    private static final CloudApi API = CloudApi.DESCRIBE_NETWORK_INTERFACES;

    private final VirtualTime time = new VirtualTime();

    private static int taken(OperatorQuota share, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            try {
                share.take(API, 1);
                taken++;
            } catch (IpamException refusal) {
                assertThat(refusal.code()).isEqualTo(ErrorCode.TRY_AGAIN);
            }
        }
        return taken;
    }

    @Test
    void aLoopOfLooksGetsATenthOfTheCallsOfAMinuteAndIsRefusedTheRest() {
        OperatorQuota share = new OperatorQuota(time, api -> new Budget(800, 800));

        assertThat(taken(share, 40)).isEqualTo(40);
        time.advance(Duration.ofSeconds(45));
        assertThat(taken(share, 1000)).isEqualTo(40);
        assertThatThrownBy(() -> share.take(API, 3)).hasMessage("asked too often; again in 15 s");
        time.advance(Duration.ofSeconds(15));
        assertThat(taken(share, 1000)).isEqualTo(40);
    }

    @Test
    void whoeverLooksSeldomMayLookAlsoWhereLittleIsAllowed() {
        OperatorQuota share = new OperatorQuota(time, api -> new Budget(10, 10));

        assertThat(taken(share, 20)).isEqualTo(OperatorQuota.LEAST);
        assertThatCode(() -> share.take(CloudApi.DESCRIBE_VSWITCHES, 1)).doesNotThrowAnyException();
    }

    @Test
    void whatTheNodeHasUsedUpItselfNobodyWaitsFor() {
        OperatorQuota share = new OperatorQuota(time, api -> new Budget(800, 0));

        assertThatThrownBy(() -> share.take(API, 1)).hasMessageContaining("no call of DescribeNetworkInterfaces left");
    }

    @Test
    void theSecondHalfOfAMinuteIsForPodsAlone() {
        OperatorQuota share = new OperatorQuota(time, api -> new Budget(100, 52));

        assertThatThrownBy(() -> share.take(API, 3)).hasMessageContaining("left for people in this minute");
        assertThatCode(() -> share.take(API, 2)).doesNotThrowAnyException();
    }
}
