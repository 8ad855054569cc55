package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.cloud.CloudState.Quotas;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
            assertThat(cloud.emulator
                            .snapshot()
                            .eni(eni)
                            .orElseThrow()
                            .addresses()
                            .privateIps())
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

    @Test
    void theAccountHasNoMoreEnisThanItsQuotaAndGetsRoomBackByDeleting() {
        try (TestCloud cloud = limited(new Quotas(2, 2000, 60_000))) {
            String first = cloud.create();
            cloud.create();

            assertThat(cloud.createAnswer().error()).isEqualTo("403 MaxEniCountExceeded");
            cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", first);
            assertThat(cloud.createAnswer().status()).isEqualTo(200);
        }
    }

    @Test
    void aSecurityGroupHasNoMoreMembersThanItsQuota() {
        try (TestCloud cloud = limited(new Quotas(100, 2, 60_000))) {
            List<String> groups = TestCloud.texts(
                    cloud.ok("DescribeSecurityGroups", "PageSize", "50").at("/SecurityGroups/SecurityGroup"),
                    "SecurityGroupId");
            String eni = cloud.create();

            assertThat(cloud.createAnswer().error()).isEqualTo("403 SecurityGroupInstanceLimitExceed");
            assertThat(cloud.createAnswer("SecurityGroupId", groups.get(1)).status())
                    .isEqualTo(200);
            String other = cloud.create("SecurityGroupId", groups.get(1));
            assertThat(join(cloud, other, groups.get(0))).isEqualTo("403 SecurityGroupInstanceLimitExceed");
            // who is in already does not need room
            assertThat(join(cloud, eni, groups.get(0))).isEqualTo("200 ");
        }
    }

    @Test
    void anEniIsInTenSecurityGroupsAtMost() {
        try (TestCloud cloud = new TestCloud()) {
            List<String> groups = TestCloud.texts(
                    cloud.ok("DescribeSecurityGroups", "PageSize", "50").at("/SecurityGroups/SecurityGroup"),
                    "SecurityGroupId");
            List<String> pairs = new ArrayList<>(List.of("SecurityGroupId", ""));
            for (int i = 1; i <= 10; i++) {
                pairs.addAll(List.of("SecurityGroupIds." + i, groups.get(i)));
            }
            assertThat(TestCloud.texts(
                            cloud.createAnswer(pairs.toArray(String[]::new))
                                    .json()
                                    .at("/SecurityGroupIds/SecurityGroupId"),
                            ""))
                    .hasSize(10);

            pairs.addAll(List.of("SecurityGroupIds.11", groups.get(11)));
            assertThat(cloud.createAnswer(pairs.toArray(String[]::new)).error())
                    .isEqualTo("403 SecurityGroupLimitExceeded");
        }
    }

    @Test
    void theVpcHasNoMoreAddressesThanTheQuota() {
        try (TestCloud cloud = limited(new Quotas(100, 2000, 5))) {
            String eni = cloud.attached();

            assertThat(assign(cloud, eni, 4)).isEqualTo("400 QuotaExceeded.PrivateIpAddress");
            assertThat(assign(cloud, eni, 3)).isEqualTo("200 ");
            assertThat(cloud.createAnswer().error()).isEqualTo("400 QuotaExceeded.PrivateIpAddress");
        }
    }

    @Test
    void quotasAreTheConfigurationsEvenWhenTheStateIsASavedOne(@TempDir Path directory) {
        EmulatorConfig config = EmulatorConfig.defaults().withStateFile(directory.resolve("cloud.json"));
        new TestCloud(config).close();

        try (TestCloud cloud = new TestCloud(TestCloud.limited(config, new Quotas(0, 1, 10)))) {
            assertThat(cloud.createAnswer().error()).isEqualTo("403 SecurityGroupInstanceLimitExceed");
        }
    }

    private static TestCloud limited(Quotas quotas) {
        return new TestCloud(TestCloud.limited(EmulatorConfig.defaults(), quotas));
    }

    private static String join(TestCloud cloud, String eni, String group) {
        return cloud.call("ModifyNetworkInterfaceAttribute", "NetworkInterfaceId", eni, "SecurityGroupId.1", group)
                .error();
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
