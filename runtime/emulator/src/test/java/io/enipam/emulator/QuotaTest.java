package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QuotaTest {
    @Test
    void anInstanceHasNoMoreEnisThanItsTypeAllowsThePrimaryOneIncluded() {
        try (TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withInstanceTypes("ecs.g7.large"))) {
            cloud.attached();
            String second = cloud.attached();
            String third = cloud.create();

            assertThat(attach(cloud, third)).isEqualTo("403 EniPerInstanceLimitExceeded");
            assertThat(cloud.status(third)).isEqualTo("Available");
            cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", second, "InstanceId", cloud.instance());
            assertThat(attach(cloud, third)).isEqualTo("200 ");
        }
    }

    @Test
    void anEniHasNoMoreAddressesThanTheTypeAllowsThePrimaryOneIncluded() {
        try (TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withInstanceTypes("ecs.g7.large"))) {
            String eni = cloud.attached();

            assertThat(assign(cloud, eni, 6)).isEqualTo("403 InvalidOperation.Ipv4CountExceeded");
            assertThat(assign(cloud, eni, 5)).isEqualTo("200 ");
            assertThat(assign(cloud, eni, 1)).isEqualTo("403 InvalidOperation.Ipv4CountExceeded");
            assertThat(cloud.emulator.books().eni(eni).orElseThrow().privateIps())
                    .hasSize(6);
        }
    }

    @Test
    void anEniWithTooManyAddressesCannotBeAttached() {
        try (TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withInstanceTypes("ecs.g7.large"))) {
            assertThat(attach(cloud, cloud.create("SecondaryPrivateIpAddressCount", "6")))
                    .isEqualTo("403 InvalidOperation.Ipv4CountExceeded");
        }
    }

    @Test
    void aDetachedEniHasFiftyAddressesAtMost() {
        try (TestCloud cloud = new TestCloud()) {
            String eni = cloud.create("SecondaryPrivateIpAddressCount", "48");

            assertThat(assign(cloud, eni, 2)).isEqualTo("403 InvalidOperation.Ipv4CountExceeded");
            assertThat(assign(cloud, eni, 1)).isEqualTo("200 ");
        }
    }

    @Test
    void aVswitchRunsOutOfAddressesAndGetsThemBack() {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put(TestCloud.VSWITCH, "10.0.0.0/29");
        vswitches.put("vsw-other", "10.0.1.0/24");
        try (TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withVswitches(vswitches))) {
            assertThat(available(cloud)).isEqualTo(3);
            String eni = cloud.attached();

            assertThat(assign(cloud, eni, 3)).isEqualTo("403 InvalidVSwitchId.IpNotEnough");
            assertThat(assign(cloud, eni, 2)).isEqualTo("200 ");
            assertThat(cloud.createAnswer().error()).isEqualTo("403 InvalidVSwitchId.IpNotEnough");
            assertThat(cloud.createAnswer("VSwitchId", "vsw-other").status()).isEqualTo(200);
            assertThat(available(cloud)).isZero();

            cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
            cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
            assertThat(available(cloud)).isEqualTo(3);
        }
    }

    private static String attach(TestCloud cloud, String eni) {
        return cloud.call("AttachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance())
                .error();
    }

    private static String assign(TestCloud cloud, String eni, int count) {
        return cloud.call(
                        "AssignPrivateIpAddresses",
                        "NetworkInterfaceId",
                        eni,
                        "SecondaryPrivateIpAddressCount",
                        Integer.toString(count))
                .error();
    }

    private static int available(TestCloud cloud) {
        JsonNode found = cloud.ok("DescribeVSwitches", "VSwitchId", TestCloud.VSWITCH);
        return found.at("/VSwitches/VSwitch/0/AvailableIpAddressCount").asInt(-1);
    }
}
