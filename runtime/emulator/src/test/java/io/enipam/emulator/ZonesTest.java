package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two zones with a vSwitch each and three nodes. */
class ZonesTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud(EmulatorConfig.defaults()
            .withVswitches(vswitches())
            .withZones("cn-hangzhou-i", "cn-hangzhou-j")
            .withInstanceTypes("ecs.g7.xlarge", "ecs.g7.large", "ecs.g6.large"));

    @Test
    void instancesAreDealtOutToTheZones() {
        JsonNode instances = cloud.ok("DescribeInstances").at("/Instances/Instance");

        assertThat(TestCloud.texts(instances, "ZoneId"))
                .containsExactly("cn-hangzhou-i", "cn-hangzhou-j", "cn-hangzhou-i");
        assertThat(instances.at("/1/VpcAttributes/VSwitchId").asText()).isEqualTo("vsw-j");
        assertThat(cloud.ok("DescribeInstances", "ZoneId", "cn-hangzhou-j")
                        .path("TotalCount")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void anEniIsAttachedInItsOwnZoneAlone() {
        String eni = cloud.create("VSwitchId", "vsw-j");

        assertThat(attach(eni, 0)).isEqualTo("403 InvalidOperation.AvailabilityZoneMismatch");
        assertThat(cloud.status(eni)).isEqualTo("Available");
        assertThat(attach(eni, 1)).isEqualTo("200 ");
    }

    @Test
    void nodesOfAZoneShareItsVswitch() {
        assertThat(attach(cloud.create(), 0)).isEqualTo("200 ");
        assertThat(attach(cloud.create(), 2)).isEqualTo("200 ");
        assertThat(cloud.emulator.snapshot().enis().stream().flatMap(eni -> eni.addresses().privateIps().stream()))
                .hasSize(5)
                .doesNotHaveDuplicates();
    }

    @Test
    void regionsZonesAndTheVpcAreTold() {
        assertThat(TestCloud.texts(cloud.ok("DescribeRegions").at("/Regions/Region"), "RegionId"))
                .containsExactly("cn-hangzhou");
        assertThat(TestCloud.texts(cloud.ok("DescribeZones").at("/Zones/Zone"), "ZoneId"))
                .containsExactly("cn-hangzhou-i", "cn-hangzhou-j", "cn-hangzhou-k");
        JsonNode vpc = cloud.ok("DescribeVpcs").at("/Vpcs/Vpc/0");
        assertThat(TestCloud.texts(vpc.at("/VSwitchIds/VSwitchId"), ""))
                .containsExactly(TestCloud.VSWITCH, "vsw-j", "vsw-k");
        assertThat(cloud.ok("DescribeVpcs", "VpcId", "vpc-other")
                        .path("TotalCount")
                        .asInt())
                .isZero();
        assertThat(cloud.ok("DescribeVSwitches", "VSwitchId", "vsw-j,vsw-k")
                        .path("TotalCount")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void securityGroupsTellTheirMembers() {
        JsonNode all = cloud.ok("DescribeSecurityGroups", "PageSize", "50");
        assertThat(all.path("TotalCount").asInt()).isEqualTo(12);
        assertThat(all.at("/SecurityGroups/SecurityGroup/0/SecurityGroupId").asText())
                .isEqualTo(cloud.securityGroup());
        assertThat(all.at("/SecurityGroups/SecurityGroup/0/EcsCount").asInt()).isEqualTo(3);
        assertThat(all.at("/SecurityGroups/SecurityGroup/0/AvailableInstanceAmount")
                        .asInt())
                .isEqualTo(1997);

        String second =
                all.at("/SecurityGroups/SecurityGroup/1/SecurityGroupId").asText();
        assertThat(cloud.ok("DescribeSecurityGroups", "SecurityGroupIds", "[\"" + second + "\"]")
                        .path("TotalCount")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void oneInstanceIsToldInFull() {
        JsonNode instance = cloud.ok("DescribeInstanceAttribute", "InstanceId", cloud.instance());

        assertThat(instance.path("InstanceType").asText()).isEqualTo("ecs.g7.xlarge");
        assertThat(instance.path("ZoneId").asText()).isEqualTo("cn-hangzhou-i");
        assertThat(instance.at("/SecurityGroupIds/SecurityGroupId/0").asText()).isEqualTo(cloud.securityGroup());
        assertThat(cloud.call("DescribeInstanceAttribute", "InstanceId", "i-none")
                        .error())
                .isEqualTo("404 InvalidInstanceId.NotFound");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DescribeInstanceTypes", "DescribeInstanceTypesNew"})
    void instanceTypesAreListedUnderBothNames(String action) {
        assertThat(TestCloud.texts(
                        cloud.ok(action, "InstanceTypeFamily", "ecs.g7").at("/InstanceTypes/InstanceType"),
                        "InstanceTypeId"))
                .containsExactly("ecs.g7.large", "ecs.g7.xlarge", "ecs.g7.4xlarge");
    }

    @Test
    void oneEniIsToldInFullAndItsAttributesAreChanged() {
        String eni = cloud.create("NetworkInterfaceName", "before", "Description", "stays");
        cloud.ok(
                "ModifyNetworkInterfaceAttribute",
                "NetworkInterfaceId",
                eni,
                "NetworkInterfaceName",
                "after",
                "DeleteOnRelease",
                "false",
                "SecurityGroupId.1",
                groups().get(3),
                "SecurityGroupId.2",
                groups().get(1));
        JsonNode told = cloud.ok("DescribeNetworkInterfaceAttribute", "NetworkInterfaceId", eni);

        assertThat(told.path("NetworkInterfaceName").asText()).isEqualTo("after");
        assertThat(told.path("Description").asText()).isEqualTo("stays");
        assertThat(told.path("DeleteOnRelease").asBoolean(true)).isFalse();
        assertThat(TestCloud.texts(told.at("/SecurityGroupIds/SecurityGroupId"), ""))
                .containsExactly(groups().get(3), groups().get(1));
        assertThat(cloud.call("DescribeNetworkInterfaceAttribute", "NetworkInterfaceId", "eni-none")
                        .error())
                .isEqualTo("404 InvalidEniId.NotFound");
        assertThat(cloud.call(
                                "ModifyNetworkInterfaceAttribute",
                                "NetworkInterfaceId",
                                eni,
                                "SecurityGroupId.1",
                                "sg-none")
                        .error())
                .isEqualTo("404 InvalidSecurityGroupId.NotFound");
    }

    @Test
    void listsMayBeJsonArraysAsClientsOf2016SendThem() {
        String one = cloud.create();
        String two = cloud.create();

        assertThat(TestCloud.texts(
                        cloud.ok(
                                        "DescribeNetworkInterfaces",
                                        "NetworkInterfaceId",
                                        "[\"" + one + "\", \"" + two + "\"]")
                                .at("/NetworkInterfaceSets/NetworkInterfaceSet"),
                        "NetworkInterfaceId"))
                .containsExactly(one, two);
        for (String broken : new String[] {"[", "[1]", "[null]", "[\"a\"] x", "[{}]"}) {
            assertThat(cloud.call("DescribeNetworkInterfaces", "NetworkInterfaceId", broken)
                            .error())
                    .as(broken)
                    .isEqualTo("400 InvalidParameter");
        }
    }

    @Test
    void aPageTokenIsGoodForItsQueryAlone() {
        for (int i = 0; i < 12; i++) {
            cloud.create();
        }
        String token = cloud.ok("DescribeNetworkInterfaces", "MaxResults", "10", "Status", "Available")
                .path("NextToken")
                .asText();

        assertThat(token).isNotEmpty();
        assertThat(cloud.call("DescribeNetworkInterfaces", "MaxResults", "10", "NextToken", token)
                        .error())
                .isEqualTo("400 InvalidParameter");
        assertThat(cloud.call(
                                "DescribeNetworkInterfaces",
                                "MaxResults",
                                "11",
                                "Status",
                                "Available",
                                "NextToken",
                                token)
                        .json()
                        .at("/NetworkInterfaceSets/NetworkInterfaceSet"))
                .hasSize(2);
    }

    private List<String> groups() {
        return TestCloud.texts(
                cloud.ok("DescribeSecurityGroups").at("/SecurityGroups/SecurityGroup"), "SecurityGroupId");
    }

    private String attach(String eni, int instance) {
        return cloud.call(
                        "AttachNetworkInterface",
                        "NetworkInterfaceId",
                        eni,
                        "InstanceId",
                        cloud.emulator.instanceIds().get(instance))
                .error();
    }

    private static Map<String, String> vswitches() {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put(TestCloud.VSWITCH, "10.0.0.0/24");
        vswitches.put("vsw-j@cn-hangzhou-j", "10.0.1.0/24");
        vswitches.put("vsw-k@cn-hangzhou-k", "10.0.2.0/24");
        return vswitches;
    }
}
