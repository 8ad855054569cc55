package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

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
            assertThat(cloud.emulator.books().eni(eni).orElseThrow().instanceId())
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

    private static String status(TestCloud cloud, String eni) {
        return cloud.emulator.books().eni(eni).map(Books.EniEntry::status).orElse("absent");
    }
}
