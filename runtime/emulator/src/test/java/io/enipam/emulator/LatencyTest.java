package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.cloud.CloudSnapshot;
import io.enipam.emulator.cloud.Latency;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LatencyTest {
    private static final Duration ENOUGH = Duration.ofSeconds(6);

    @Test
    void withRealLatencyStatesPassOnlyWithTime() {
        try (TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withLatency(Latency.REAL))) {
            String eni = cloud.create();
            String here = cloud.instance();
            cloud.ok("AttachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", here);
            assertThat(cloud.status(eni)).isEqualTo("Attaching");
            assertThat(cloud.call(
                                    "AssignPrivateIpAddresses",
                                    "NetworkInterfaceId",
                                    eni,
                                    "SecondaryPrivateIpAddressCount",
                                    "1")
                            .error())
                    .isEqualTo("400 InvalidOperation.InvalidEniState");
            cloud.clock.advance(ENOUGH);
            assertThat(status(cloud, eni)).isEqualTo("InUse");

            cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", here);
            cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", here);
            assertThat(status(cloud, eni)).isEqualTo("Detaching");
            assertThat(cloud.emulator.snapshot().eni(eni).orElseThrow().instanceId())
                    .contains(here);
            cloud.clock.advance(ENOUGH);
            assertThat(status(cloud, eni)).isEqualTo("Available");

            cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
            cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
            assertThat(status(cloud, eni)).isEqualTo("Deleting");
            cloud.clock.advance(ENOUGH);
            assertThat(status(cloud, eni)).isEqualTo("absent");
        }
    }

    @Test
    void descriptionsOfEnisMayBeHalfAMinuteBehindWhileAllOtherCallsAreNot() {
        try (TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withLatency(Latency.parse("describe=30s")))) {
            String eni = cloud.create();
            assertThat(described(cloud, eni)).isEmpty();
            cloud.ok("AttachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
            cloud.clock.advance(Duration.ofSeconds(29));
            assertThat(described(cloud, eni)).isEmpty();
            assertThat(cloud.emulator.snapshot().eni(eni)).isPresent();

            cloud.clock.advance(Duration.ofSeconds(1));
            assertThat(described(cloud, eni)).contains(eni, "InUse");

            cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
            cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
            assertThat(described(cloud, eni)).contains("InUse");
            cloud.clock.advance(Duration.ofSeconds(30));
            assertThat(described(cloud, eni)).isEmpty();
        }
    }

    private static String described(TestCloud cloud, String eni) {
        return cloud.ok("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni)
                .path("NetworkInterfaceSets")
                .path("NetworkInterfaceSet")
                .path(0)
                .toString();
    }

    private static String status(TestCloud cloud, String eni) {
        return cloud.emulator
                .snapshot()
                .eni(eni)
                .map(CloudSnapshot.EniEntry::status)
                .orElse("absent");
    }
}
