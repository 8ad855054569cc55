package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DatapathRequestTest {
    private static final PodRef POD = PodRef.parse("default/a");
    private static final LinkRequest LINK = LinkRequest.into("/var/run/netns/a");

    private final EngineFixture node = EngineFixture.started(10, 0, 5);

    @Test
    void whoAsksHearsHowThePodIsConnectedAndHearsItAgain() {
        DatapathResult wiring = new DatapathResult(
                List.of(new DatapathResult.Link("cali0", "02:00:00:00:00:01", 1500, "")),
                List.of(),
                List.of(new DatapathResult.Route("0.0.0.0/0", "169.254.1.1")));
        node.kernel.answer(wiring);
        node.pods.put("default/a");

        assertThat(add(LINK)).isEqualTo(new AddOutcome(lease(), false, wiring));
        assertThat(add(LINK)).isEqualTo(new AddOutcome(lease(), true, wiring));
    }

    @Test
    void theKernelHearsWhatTheCallerAndTheManifestAskFor() {
        node.pods.put(pod("uid-1", 1_000));

        add(LINK);

        DatapathRequest connection =
                node.kernel.connection(EngineFixture.owner("c-a")).orElseThrow();
        assertThat(connection.link()).isEqualTo(LINK);
        assertThat(connection.ingress()).hasValue(1_000);
        assertThat(connection.egress()).isEmpty();
    }

    @Test
    void aSecondAddAsksForTheSameLimitsWithoutAskingForThePodAgain() {
        node.pods.put(pod("uid-1", 1_000));
        add(LINK);
        node.pods.down(true);

        add(LINK);

        assertThat(node.kernel
                        .connection(EngineFixture.owner("c-a"))
                        .orElseThrow()
                        .ingress())
                .hasValue(1_000);
    }

    @Test
    void theLimitsOfAPodThatTookTheNameAreNotTheFormerOnes() {
        node.pods.put(pod("uid-1", 1_000));
        add(LINK);
        node.del("c-a");
        node.pods.put(pod("uid-2", 2_000));

        add(LINK);

        assertThat(node.kernel
                        .connection(EngineFixture.owner("c-a"))
                        .orElseThrow()
                        .ingress())
                .hasValue(2_000);
    }

    @Test
    void theManifestGoesBeforeTheCaller() {
        LinkRequest slow = new LinkRequest(
                LINK.connector(),
                LINK.netns(),
                LINK.mtu(),
                LINK.vethPrefix(),
                LINK.type(),
                OptionalLong.of(5),
                OptionalLong.of(6),
                List.of());
        node.pods.put(pod("uid-1", 1_000));

        add(slow);

        DatapathRequest connection =
                node.kernel.connection(EngineFixture.owner("c-a")).orElseThrow();
        assertThat(connection.ingress()).hasValue(1_000);
        assertThat(connection.egress()).hasValue(6);
    }

    private Lease lease() {
        return node.engine.lease(EngineFixture.owner("c-a")).orElseThrow();
    }

    private static Pod pod(String uid, long ingress) {
        return new Pod(
                POD,
                uid,
                false,
                Duration.ZERO,
                List.of(),
                new PodNetworkSpec(OptionalLong.of(ingress), OptionalLong.empty(), false));
    }

    private AddOutcome add(LinkRequest link) {
        var add =
                node.engine.add(new AddCommand(EngineFixture.owner("c-a"), POD, link, Duration.ofSeconds(10), "test"));
        node.time.settle();
        return add.join();
    }
}
