package io.enipam.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.config.ConfigFile;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceGenerator;
import io.enipam.lab.trace.TraceGenerator.Pattern;
import io.enipam.lab.trace.TraceGenerator.Wishes;
import io.enipam.pluginhost.testing.PluginJar;
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

/** Hours of a node in a second or two; what is asserted is what an operator would read off the table. */
class ReplayTest {
    /** Some five at each fifth minute, and one or two at each other. */
    private static final Trace JOBS = TraceGenerator.make(new Wishes(Pattern.CRON, 300, Duration.ofHours(2), 8, 5));

    @TempDir
    Path scratch;

    private static ReplayResult run(Trace trace, CloudProfile profile, String policy, long seed) {
        try (PolicyCatalog policies = new PolicyCatalog(List.of(), List.of())) {
            return Replay.run(trace, profile, PolicyChoice.parse(policy), policies, seed, part -> {}, () -> true)
                    .orElseThrow();
        }
    }

    private static ReplayResult run(String policy) {
        return run(JOBS, CloudProfile.usual(), policy, 1);
    }

    @Test
    void theSameSeedGivesTheSameResultAndAnotherOneAnother() {
        assertThat(run("watermark(min=2,max=4)")).isEqualTo(run("watermark(min=2,max=4)"));
        assertThat(run(JOBS, CloudProfile.usual(), "watermark(min=2,max=4)", 2))
                .isNotEqualTo(run("watermark(min=2,max=4)"));
    }

    @Test
    void moreIdleAddressesMeanLessWaiting() {
        ReplayResult few = run("watermark(min=0,max=0)");
        ReplayResult many = run("watermark(min=20,max=25)");
        assertThat(few.waits().served()).isEqualTo(300);
        assertThat(many.waits().served()).isEqualTo(300);
        assertThat(few.waits().share()).isGreaterThan(0.9);
        assertThat(many.waits().share()).isLessThan(0.05);
        assertThat(many.addresses().idleHours()).isGreaterThan(few.addresses().idleHours() + 15);
        assertThat(few.cloud().total())
                .as("each pod needs a call or a part of one")
                .isGreaterThan(50);
        assertThat(few.failures()).isEmpty();
    }

    /** A create takes 0.5 to 1.5 s, a call to attach 0.3 to 0.8 s, and the attach itself 2 to 5 s. */
    @Test
    void aFirstPodWaitsAsLongAsAnEniTakes() {
        Trace one = new Trace(
                "by hand",
                Duration.ofMinutes(5),
                List.of(new Sandbox(Duration.ofSeconds(3), "default/a", Optional.empty(), "")));
        ReplayResult result = run(one, CloudProfile.usual(), "watermark(min=0,max=0)", 1);
        assertThat(result.waits().p50Millis()).isBetween(2_800L, 15_000L);
        assertThat(result.cloud().calls())
                .containsEntry("CreateNetworkInterface", 1L)
                .containsEntry("AttachNetworkInterface", 1L);
        assertThat(result.cloud().eniChanges()).isEqualTo(1);
    }

    @Test
    void aCloudThatTakesFewCallsThrottlesAndPodsWaitLonger() {
        ThrottleLimits two = ThrottleLimits.parse("AssignPrivateIpAddresses=2,UnassignPrivateIpAddresses=2");
        ReplayResult narrow = run(JOBS, new CloudProfile(List.of(), two, Map.of()), "watermark(min=0,max=0)", 1);
        ReplayResult wide = run("watermark(min=0,max=0)");
        assertThat(wide.cloud().throttled()).isZero();
        assertThat(narrow.cloud().throttled()).isPositive();
        assertThat(narrow.waits().p99Millis()).isGreaterThan(wide.waits().p99Millis());
    }

    @Test
    void callsThatFailAreMadeAgainAndEveryPodIsServed() {
        CloudProfile shaky =
                new CloudProfile(List.of(), ThrottleLimits.usual(), Map.of("AssignPrivateIpAddresses", 30.0));
        ReplayResult result = run(JOBS, shaky, "watermark(min=2,max=4)", 1);
        assertThat(result.waits().served()).isEqualTo(300);
        assertThat(result.cloud().calls().get("AssignPrivateIpAddresses"))
                .isGreaterThan(run("watermark(min=2,max=4)").cloud().calls().get("AssignPrivateIpAddresses"));
    }

    @Test
    void aVSwitchThatIsTooSmallLeavesPodsWithoutAnAddress() throws IOException {
        Path file =
                Files.writeString(scratch.resolve("small.yaml"), "emulator: {vswitches: {vsw-small: 10.0.0.0/29}}\n");
        List<Sandbox> pods = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            pods.add(new Sandbox(Duration.ofSeconds(i), "default/p" + i, Optional.empty(), ""));
        }
        ReplayResult result = run(
                new Trace("by hand", Duration.ofMinutes(10), pods),
                new CloudProfile(List.of(ConfigFile.named(file)), ThrottleLimits.usual(), Map.of()),
                "watermark(min=0,max=0)",
                1);
        // of a /29 the cloud has four, and the node itself one
        assertThat(result.waits().served()).isEqualTo(3);
        assertThat(result.failed()).isGreaterThanOrEqualTo(5);
        assertThat(result.addresses().mostHeld()).isEqualTo(3);
    }

    @Test
    void theNodeOfTheProfileIsTheOneThatIsReplayed() throws IOException {
        Path file = Files.writeString(
                scratch.resolve("node.yaml"), "pool: {min_idle: 4, max_idle: 6}\nemulator: {latency: none}\n");
        ReplayResult result = run(
                JOBS,
                new CloudProfile(List.of(ConfigFile.named(file)), ThrottleLimits.usual(), Map.of()),
                "watermark",
                1);
        assertThat(result.waits().mostMillis()).as("without latency").isLessThan(2_000);
        assertThat(result.addresses().idleHours() / 2).as("idle on average").isBetween(2.0, 7.0);
    }

    @Test
    void whatTheFileSetsOfThePoolIsFilledUpAsOnARealNodeAndNotAsInASandbox() throws IOException {
        assertThat(watermarks("max_idle: 3")).isEqualTo(List.of(0, 3));
        assertThat(watermarks("max_idle: 1")).as("below a sandbox's min_idle").isEqualTo(List.of(0, 1));
        assertThat(watermarks("min_idle: 4")).isEqualTo(List.of(4, 5));
        assertThat(watermarks("min_idle: 7")).as("it raises the other").isEqualTo(List.of(7, 7));
        assertThat(watermarks("check_interval: 2m")).isEqualTo(List.of(0, 5));
    }

    private List<Integer> watermarks(String pool) throws IOException {
        Path file = Files.writeString(scratch.resolve("pool.yaml"), "pool: {" + pool + "}\n");
        try (PolicyCatalog policies = new PolicyCatalog(List.of(), List.of())) {
            Watermarks marks = new CloudProfile(List.of(ConfigFile.named(file)), ThrottleLimits.usual(), Map.of())
                    .watermarks(policies);
            return List.of(marks.minIdle(), marks.maxIdle());
        }
    }

    @Test
    void aPolicyOfAPluginsJarIsLoadedAndReplayedWithItsSettings() {
        Path jar = PluginJar.of("hoarder").plugin("""
            static final Setting<Integer> WARM = Setting.wholeNumber("warm", 0, 100, 1);
            public List<Setting<?>> settings() { return List.of(WARM); }
            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(PoolPolicyProvider.of("hoarder", context -> {
                    int warm = context.settings().get(WARM);
                    context.clock().instant();
                    return new PoolPolicy() {
                        public String name() { return "hoarder"; }
                        public Target target(PoolSnapshot pool) { return Target.between(warm, warm); }
                    };
                }));
            }
            """).write(scratch);
        try (PolicyCatalog policies = new PolicyCatalog(List.of(jar), List.of())) {
            PolicyChoice choice = PolicyChoice.parse("hoarder(warm=20)");
            ReplayResult result = Replay.run(JOBS, CloudProfile.usual(), choice, policies, 1, part -> {}, () -> true)
                    .orElseThrow();
            assertThat(result.addresses().idleHours() / 2).as("idle on average").isBetween(15.0, 22.0);
            assertThatThrownBy(() -> Replay.run(
                            JOBS,
                            CloudProfile.usual(),
                            PolicyChoice.parse("hoarder(cold=1)"),
                            policies,
                            1,
                            part -> {},
                            () -> true))
                    .hasMessageContaining("cold: there is no such setting");
            assertThatThrownBy(() -> Replay.run(
                            JOBS,
                            CloudProfile.usual(),
                            PolicyChoice.parse("absent"),
                            policies,
                            1,
                            part -> {},
                            () -> true))
                    .hasMessageContaining("there is no policy absent; there are watermark, hoarder");
        }
    }

    @Test
    void aReplayThatIsToldToEndHasNoResult() {
        List<Double> parts = new ArrayList<>();
        try (PolicyCatalog policies = new PolicyCatalog(List.of(), List.of())) {
            assertThat(Replay.run(
                            JOBS,
                            CloudProfile.usual(),
                            PolicyChoice.parse("watermark"),
                            policies,
                            1,
                            parts::add,
                            () -> parts.size() < 10))
                    .isEmpty();
        }
        assertThat(parts).hasSize(10).isSorted().allMatch(part -> part < 0.1);
    }
}
