package io.enipam.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.config.ConfigFile;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceGenerator;
import io.enipam.lab.trace.TraceGenerator.Pattern;
import io.enipam.lab.trace.TraceGenerator.Wishes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Half an hour of a few nodes of one account. */
class FleetTest {
    private static final Trace JOBS = TraceGenerator.make(new Wishes(Pattern.CRON, 60, Duration.ofMinutes(30), 6, 5));
    private static final Trace BATCH = TraceGenerator.make(new Wishes(Pattern.BATCH, 40, Duration.ofMinutes(30), 6, 5));

    @TempDir
    Path scratch;

    private static FleetResult run(Fleet fleet, CloudProfile profile, String policy, long seed) {
        try (PolicyCatalog policies = new PolicyCatalog(List.of(), List.of())) {
            return Replay.run(fleet, profile, PolicyChoice.parse(policy), policies, seed, part -> {}, () -> true)
                    .orElseThrow();
        }
    }

    private static Fleet fleet(List<Trace> traces, int nodes, String... events) {
        return new Fleet(
                traces,
                nodes,
                List.of(events).stream().map(ScenarioEvent::parse).toList());
    }

    private CloudProfile profile(String yaml, String limits) throws IOException {
        Path file = Files.writeString(scratch.resolve("cloud.yaml"), yaml);
        return new CloudProfile(List.of(ConfigFile.named(file)), ThrottleLimits.parse(limits), Map.of());
    }

    /** Five pods that stay, a second apart. */
    private static Trace five() {
        List<Sandbox> pods = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            pods.add(new Sandbox(Duration.ofSeconds(10 + i), "default/p" + i, Optional.empty(), ""));
        }
        return new Trace("by hand", Duration.ofMinutes(10), pods);
    }

    @Test
    void theSameSeedGivesTheSameResultAndAnotherOneAnother() {
        Fleet four = fleet(List.of(JOBS, BATCH), 4, "rolling-upgrade(at=5m,batch=1,every=4m,down=3m)");
        FleetResult once = run(four, CloudProfile.usual(), "watermark(min=1,max=3)", 1);
        assertThat(run(four, CloudProfile.usual(), "watermark(min=1,max=3)", 1)).isEqualTo(once);
        assertThat(run(four, CloudProfile.usual(), "watermark(min=1,max=3)", 2)).isNotEqualTo(once);
    }

    @Test
    void theFiguresAreThoseOfAllNodesAndTheWorstOneIsNamed() {
        FleetResult both = run(fleet(List.of(JOBS, BATCH), 2), CloudProfile.usual(), "watermark(min=2,max=4)", 1);
        assertThat(both.total().waits().pods()).isEqualTo(100);
        assertThat(both.total().waits().served()).isEqualTo(100);
        assertThat(both.worstNode().waits().p99Millis())
                .isGreaterThanOrEqualTo(both.total().waits().p99Millis());
        assertThat(both.total().addresses().idleHours())
                .isGreaterThan(both.worstNode().addresses().idleHours());
    }

    @Test
    void aTraceThatIsDealtAgainComesAtOtherTimesAndWhole() {
        FleetResult three = run(fleet(List.of(JOBS), 3), CloudProfile.usual(), "watermark(min=2,max=4)", 1);
        assertThat(three.total().waits().pods()).isEqualTo(180);
        assertThat(three.total().waits().served()).isEqualTo(180);
    }

    @Test
    void nodesThrottleEachOtherWhereEachAloneIsNotThrottled() {
        CloudProfile narrow =
                new CloudProfile(List.of(), ThrottleLimits.parse("DescribeNetworkInterfaces=9"), Map.of());
        assertThat(run(fleet(List.of(five()), 1), narrow, "watermark(min=2,max=4)", 1)
                        .total()
                        .cloud()
                        .throttled())
                .isZero();
        assertThat(run(fleet(List.of(five()), 12), narrow, "watermark(min=2,max=4)", 1)
                        .total()
                        .cloud()
                        .throttled())
                .isPositive();
    }

    /** A /28 has 12 addresses: one is a node's own, and those of its ENI are for pods. */
    @Test
    void nodesTakeEachOtherTheAddressesOfAVSwitch() throws IOException {
        CloudProfile small = profile("emulator: {vswitches: {vsw-small: 10.0.0.0/28}}\n", "default");
        FleetResult alone = run(fleet(List.of(five()), 1), small, "watermark(min=0,max=0)", 1);
        assertThat(alone.total().waits().served()).isEqualTo(5);
        assertThat(alone.exhausted()).isZero();
        FleetResult three = run(fleet(List.of(five()), 3), small, "watermark(min=0,max=0)", 1);
        assertThat(three.total().addresses().mostHeld()).isEqualTo(9);
        assertThat(three.total().waits().served()).isEqualTo(9);
        assertThat(three.exhausted()).isPositive();
        assertThat(three.worstNode().waits().served()).isLessThan(5);
    }

    @Test
    void thePodsOfADrainedNodeComeToTheOthers() {
        FleetResult drained = run(
                fleet(List.of(five()), 3, "rolling-upgrade(at=5m,batch=1,every=1m,down=1m)"),
                CloudProfile.usual(),
                "watermark(min=2,max=4)",
                1);
        // the first node's five move to the others, then theirs with some of them
        assertThat(drained.total().waits().pods()).isGreaterThanOrEqualTo(15 + 15);
        assertThat(drained.total().waits().served())
                .isEqualTo(drained.total().waits().pods());
    }

    @Test
    void whileAZoneIsOutItsNodesGetNoNewAddresses() throws IOException {
        CloudProfile zones =
                profile("emulator: {vswitches: {vsw-a: 10.0.0.0/24, vsw-b@zone-b: 10.0.1.0/24}}\n", "default");
        FleetResult out = run(
                fleet(List.of(five(), five()), 2, "zone-outage(at=0s,for=20m,zone=zone-b)"),
                zones,
                "watermark(min=0,max=0)",
                1);
        assertThat(out.total().waits().served()).isEqualTo(5);
        assertThat(out.worst()).isEqualTo(1);
        assertThat(out.worstNode().waits().served()).isZero();
        FleetResult over = run(
                fleet(List.of(five(), five()), 2, "zone-outage(at=0s,for=2m,zone=zone-b)"),
                zones,
                "watermark(min=0,max=0)",
                1);
        assertThat(over.total().waits().served()).isEqualTo(10);
    }

    @Test
    void aQuotaThatIsCutIsGivenBack() {
        FleetResult cut = run(
                fleet(List.of(five()), 1, "quota-cut(api=CreateNetworkInterface,limit=0,at=0s,for=3m)"),
                CloudProfile.usual(),
                "watermark(min=0,max=0)",
                1);
        assertThat(cut.total().cloud().throttled()).isPositive();
        assertThat(cut.total().waits().mostMillis()).isGreaterThan(120_000);
        assertThat(cut.total().waits().served()).isEqualTo(5);
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() {
        assertThatThrownBy(() -> fleet(List.of(JOBS), 0)).hasMessageContaining("1 to 10000 nodes, not 0");
        assertThatThrownBy(() -> fleet(List.of(JOBS, BATCH), 1)).hasMessageContaining("not for 1");
        assertThatThrownBy(() -> fleet(List.of(JOBS, five()), 2)).hasMessageContaining("of one length");
        assertThatThrownBy(() -> fleet(List.of(JOBS), 1, "zone-outage(at=30m,for=1m)"))
                .hasMessageContaining("comes after the trace's end at 1800s");
        assertThatThrownBy(() -> run(
                        fleet(List.of(JOBS), 1, "zone-outage(at=1m,for=1m,zone=mars)"),
                        CloudProfile.usual(),
                        "watermark",
                        1))
                .hasMessageContaining("there is no zone mars; there are ");
    }
}
