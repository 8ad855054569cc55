package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.api.RoleCredentials.RoleSettings;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.control.CloudControl.ControlException;
import io.enipam.emulator.control.CloudControl.ControlException.Kind;
import io.enipam.emulator.fault.Effect.Stick;
import io.enipam.emulator.fault.Effect.Throttle;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.http.CallCounts.ActionCallStats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done to the cloud behind its clients' backs, as they then find it. */
class CloudControlTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud();

    private final CloudControl control = cloud.emulator.control();

    @Test
    void anEniThatIsDetachedBehindTheClientsBackIsAvailableAndOnNoInstance() {
        String eni = cloud.attached();
        control.detachEni(eni);

        assertThat(cloud.status(eni)).isEqualTo("Available");
        assertThat(cloud.emulator.snapshot().eni(eni).orElseThrow().instanceId())
                .isEmpty();
        refused(Kind.CONFLICT, () -> control.detachEni(eni), "on no instance");
        refused(Kind.CONFLICT, () -> control.detachEni(primary()), "primary ENI");
        refused(Kind.NOT_FOUND, () -> control.detachEni("eni-none"), "no ENI eni-none");
    }

    @Test
    void anAddressThatIsTakenIsGoneFromItsEniAndFreeForOthers() {
        String eni = cloud.attached("PrivateIpAddress.1", "10.0.0.77");

        assertThat(control.takeIp("10.0.0.77")).isEqualTo(eni);
        assertThat(cloud.emulator.snapshot().eni(eni).orElseThrow().addresses().privateIps())
                .hasSize(1);
        assertThat(cloud.createAnswer("PrivateIpAddress.1", "10.0.0.77").status())
                .isEqualTo(200);
        refused(Kind.NOT_FOUND, () -> control.takeIp("10.0.0.78"), "no ENI has");
        refused(Kind.CONFLICT, () -> control.takeIp("10.0.0.1"), "primary address");
    }

    @Test
    void anEniStuckByHandGoesOnWhenItIsReleased() {
        String eni = cloud.attached();
        assertThat(control.stick(eni)).isPresent();
        detach(eni);
        detach(eni);
        cloud.clock.advance(Duration.ofDays(1));
        assertThat(cloud.status(eni)).isEqualTo("Detaching");
        assertThat(control.stuckEnis()).containsExactly(eni);

        control.release(eni);
        assertThat(cloud.status(eni)).isEqualTo("Available");
        assertThat(cloud.emulator.faults().list()).isEmpty();
        refused(Kind.CONFLICT, () -> control.release(eni), "does not stick");
    }

    @Test
    void anEniInAPassingStatusSticksAtOnce() {
        control.latency(Latency.parse("detaching=1m"));
        String eni = cloud.attached();
        detach(eni);

        assertThat(control.stick(eni)).isEmpty();
        cloud.clock.advance(Duration.ofHours(1));
        assertThat(cloud.status(eni)).isEqualTo("Detaching");
    }

    @Test
    void anEniThatIsToStickDoesSoAtNoOtherCall() {
        String eni = cloud.attached();
        control.stick(eni);
        cloud.ok("AssignPrivateIpAddresses", "NetworkInterfaceId", eni, "SecondaryPrivateIpAddressCount", "1");

        assertThat(cloud.emulator.faults().list().get(0).applied()).isZero();
        control.release(eni);
        detach(eni);
        assertThat(cloud.status(eni)).isEqualTo("Available");
    }

    @Test
    void aStuckEniIsStuckAfterARestartToo(@TempDir Path directory) {
        EmulatorConfig config = EmulatorConfig.defaults().withStateFile(directory.resolve("cloud.json"));
        String eni;
        try (TestCloud first = new TestCloud(config)) {
            eni = first.create();
            first.emulator.faults().add(FaultRule.on("DeleteNetworkInterface").does(new Stick(true)));
            first.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
        }
        try (TestCloud second = new TestCloud(config)) {
            assertThat(second.status(eni)).isEqualTo("Deleting");
            second.emulator.control().release(eni);
            assertThat(second.status(eni)).isEqualTo("absent");
        }
    }

    @Test
    void anApiBeyondItsLimitIsRefusedUntilTheNextMinute() {
        try (TestCloud limited = new TestCloud(
                EmulatorConfig.defaults(), TestCloud.throttled(ThrottleLimits.parse("DescribeVSwitches=2")))) {
            limited.ok("DescribeVSwitches");
            limited.ok("DescribeVSwitches");
            limited.clock.advance(Duration.ofSeconds(59));
            assertThat(limited.call("DescribeVSwitches").error()).isEqualTo("400 Throttling.User");
            limited.ok("DescribeInstances");
            limited.clock.advance(Duration.ofSeconds(1));
            limited.ok("DescribeVSwitches");

            assertThat(limited.emulator.control().calls())
                    .containsExactly(
                            new ActionCallStats("DescribeInstances", 1, 0, 0),
                            new ActionCallStats("DescribeVSwitches", 4, 1, 0));
        }
    }

    @Test
    void aKeyThatExpiresIsNotFound() {
        control.expireKey("testid");
        assertThat(cloud.call("DescribeInstances").error()).isEqualTo("404 InvalidAccessKeyId.NotFound");
        refused(Kind.NOT_FOUND, () -> control.expireKey("nobody"), "nobody");

        control.reset();
        assertThat(cloud.call("DescribeInstances").status()).isEqualTo(200);
    }

    @Test
    void aClockThatIsWrongMakesGoodTimestampsBad() {
        control.skewClock(Duration.ofMinutes(-16));
        assertThat(cloud.call("DescribeInstances").error()).isEqualTo("400 InvalidTimeStamp.Expired");

        control.reset();
        assertThat(cloud.call("DescribeInstances").status()).isEqualTo(200);
    }

    @Test
    void aResetEndsAllThatWasSetUp() {
        String stuck = cloud.attached();
        control.latency(Latency.REAL);
        control.throttle(ThrottleLimits.parse("DescribeInstances=0"));
        control.skewClock(Duration.ofSeconds(1));
        control.stick(stuck);
        control.faults().add(FaultRule.on("DescribeVSwitches").atMost(1).does(new Throttle()));
        detach(stuck);
        assertThat(cloud.call("DescribeVSwitches").error()).isEqualTo("400 Throttling.User");
        control.reset();

        assertThat(control.latency()).isEqualTo(Latency.NONE);
        assertThat(control.throttle()).isEqualTo(ThrottleLimits.none());
        assertThat(control.clockSkew()).isZero();
        assertThat(control.faults().list()).isEmpty();
        assertThat(control.stuckEnis()).isEmpty();
        assertThat(cloud.status(stuck)).isEqualTo("Available");
        cloud.ok("DescribeVSwitches");
        cloud.ok("DescribeInstances");
    }

    @Test
    void aCallThatARuleSpoiltIsCounted() {
        control.faults().add(FaultRule.on("DescribeInstances").nth(2).fail("ServiceUnavailable"));
        cloud.call("DescribeInstances");
        assertThat(cloud.call("DescribeInstances").error()).isEqualTo("503 ServiceUnavailable");

        assertThat(control.calls()).containsExactly(new ActionCallStats("DescribeInstances", 2, 0, 1));
    }

    @Test
    void latencyChangesWhileItRuns() {
        String eni = cloud.attached();
        control.latency(Latency.parse("detaching=30s"));
        detach(eni);
        assertThat(cloud.status(eni)).isEqualTo("Detaching");
        control.latency(Latency.NONE);
        assertThat(cloud.status(eni)).isEqualTo("Detaching");
        cloud.clock.advance(Duration.ofSeconds(30));
        assertThat(cloud.status(eni)).isEqualTo("Available");
    }

    @Test
    void roleCredentialsThatAreEndedAreReplacedAtOnce() {
        EmulatorOptions conditions =
                TestCloud.withMetadata(new MetadataSettings(false, RoleSettings.every(Duration.ofMinutes(10))));
        try (TestCloud rotating = new TestCloud(EmulatorConfig.defaults(), conditions)) {
            RoleClient role = new RoleClient(rotating);
            RoleClient.Keys first = role.read();
            assertThat(role.call(first).status()).isEqualTo(200);

            assertThat(rotating.emulator.control().expireRole()).isEqualTo(first.id());
            assertThat(role.call(first).error()).isEqualTo("400 InvalidSecurityToken.Expired");
            RoleClient.Keys second = role.read();
            assertThat(role.call(second).status()).isEqualTo(200);
            rotating.emulator.control().expireKey(second.id());
            assertThat(role.call(second).error()).isEqualTo("400 InvalidSecurityToken.Expired");
            RoleClient.Keys third = role.read();
            assertThat(List.of(first.id(), second.id(), third.id())).doesNotHaveDuplicates();
            assertThat(role.call(third).status()).isEqualTo(200);
        }
    }

    private String primary() {
        return cloud.emulator.snapshot().enis().get(0).id();
    }

    private void detach(String eni) {
        cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
    }

    private static void refused(Kind kind, ThrowingCallable call, String reason) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ControlException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(kind))
                .hasMessageContaining(reason);
    }
}
