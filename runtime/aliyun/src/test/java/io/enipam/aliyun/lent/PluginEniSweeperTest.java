package io.enipam.aliyun.lent;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.RecordedEvents;
import io.enipam.aliyun.api.EcsApi.CreateInterfaceRequest;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.SweepRule;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PluginEniSweeperTest {
    private static final String NODE = "i-1";

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private final FakeEcsApi cloud = new FakeEcsApi(time, new InstanceTypeLimits(4, 10, 0), Duration.ZERO);
    private final RecordedEvents events = new RecordedEvents();
    private final PluginEniSweeper sweeper = new PluginEniSweeper(cloud, NODE, time, events, Runnable::run);

    @BeforeEach
    void aVSwitch() {
        cloud.addVSwitch("vsw-a", 1, 9);
    }

    private String make(String token, Map<String, String> tags) {
        return cloud.createNetworkInterface(new CreateInterfaceRequest("vsw-a", List.of("sg-1"), tags, token, 0))
                .id();
    }

    @Test
    void whatAPluginLeftGoesAfterTenMinutesAndOnlyThat() {
        String left = make("a", EniTags.ofPlugin("members", NODE));
        String used = make("b", EniTags.ofPlugin("members", NODE));
        String another = make("c", EniTags.ofPlugin("members", "i-2"));
        cloud.attachNetworkInterface(used, NODE);
        time.advance(SweepRule.MINIMUM_AGE.plusSeconds(1));

        assertThat(taken(true)).containsExactly(left);
        assertThat(cloud.describeNetworkInterface(left)).as("a dry run").hasSize(1);
        assertThat(taken(false)).containsExactly(left);
        assertThat(cloud.describeNetworkInterface(left)).isEmpty();
        assertThat(cloud.describeNetworkInterface(used)).hasSize(1);
        assertThat(cloud.describeNetworkInterface(another)).hasSize(1);
        assertThat(events.types()).containsExactly("EniSwept");
    }

    @Test
    void aYoungOneMayBeOnItsWay() {
        make("a", EniTags.ofPlugin("members", NODE));
        time.advance(SweepRule.MINIMUM_AGE.minusSeconds(1));

        assertThat(taken(false)).isEmpty();
    }

    @Test
    void oneThatTheCloudDoesNotDeleteStaysAndKeepsNoOtherFromGoing() {
        String refused = make("a", EniTags.ofPlugin("members", NODE));
        String left = make("b", EniTags.ofPlugin("members", NODE));
        time.advance(SweepRule.MINIMUM_AGE.plusSeconds(1));
        cloud.failNext(FakeEcsApi.Call.DELETE, "Forbidden.RAM", 403);

        List<EniSweeper.Candidate> candidates =
                sweeper.sweep(false).toCompletableFuture().join().candidates();
        assertThat(candidates).extracting(EniSweeper.Candidate::id).containsExactly(refused, left);
        assertThat(candidates).extracting(EniSweeper.Candidate::taken).containsExactly(false, true);
        assertThat(candidates.get(0).reason()).contains("Forbidden.RAM");
        assertThat(taken(false)).containsExactly(refused);
    }

    private List<String> taken(boolean dryRun) {
        return sweeper.sweep(dryRun).toCompletableFuture().join().candidates().stream()
                .filter(EniSweeper.Candidate::taken)
                .map(EniSweeper.Candidate::id)
                .toList();
    }
}
