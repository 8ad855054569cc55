package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DescribeTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud(EmulatorConfig.defaults()
            .withInstanceTypes("ecs.g7.xlarge", "ecs.g6.large")
            .withVswitches(twoVswitches()));

    @Test
    void instancesTellTypeAddressesAndEnis() {
        String eni = cloud.attached();
        JsonNode found = cloud.ok("DescribeInstances", "InstanceIds", "[\"" + cloud.instance() + "\"]");

        assertThat(found.path("TotalCount").asInt()).isEqualTo(1);
        JsonNode instance = found.at("/Instances/Instance/0");
        assertThat(instance.path("InstanceId").asText()).isEqualTo(cloud.instance());
        assertThat(instance.path("InstanceType").asText()).isEqualTo("ecs.g7.xlarge");
        assertThat(instance.path("ZoneId").asText()).isEqualTo("cn-hangzhou-i");
        assertThat(instance.at("/VpcAttributes/VSwitchId").asText()).isEqualTo(TestCloud.VSWITCH);
        assertThat(instance.at("/VpcAttributes/PrivateIpAddress/IpAddress/0").asText())
                .isEqualTo("10.0.0.1");
        assertThat(TestCloud.texts(instance.at("/NetworkInterfaces/NetworkInterface"), "NetworkInterfaceId"))
                .hasSize(2)
                .contains(eni);
    }

    @ParameterizedTest
    @CsvSource({
        "InstanceIds, i-none, 400 InvalidInstanceIds.Malformed",
        "InstanceIds, '{\"a\":1}', 400 InvalidInstanceIds.Malformed",
        "InstanceIds, null, 400 InvalidInstanceIds.Malformed",
        "PageSize, 101, 400 InvalidParameter",
        "PageNumber, 0, 400 InvalidParameter",
        "NextToken, forged, 400 InvalidParameter"
    })
    void badParametersOfDescribeInstancesAreRefused(String name, String value, String error) {
        assertThat(cloud.call("DescribeInstances", name, value).error()).isEqualTo(error);
    }

    @Test
    void instancesCanBeFilteredAndPaged() {
        assertThat(cloud.ok("DescribeInstances", "InstanceType", "ecs.g6.large")
                        .path("TotalCount")
                        .asInt())
                .isEqualTo(1);
        assertThat(cloud.ok("DescribeInstances", "VpcId", "vpc-none")
                        .path("TotalCount")
                        .asInt())
                .isZero();
        JsonNode second = cloud.ok("DescribeInstances", "PageSize", "1", "PageNumber", "2");
        assertThat(second.at("/Instances/Instance/0/InstanceId").asText())
                .isEqualTo(cloud.emulator.instanceIds().get(1));
        JsonNode byToken = cloud.ok("DescribeInstances", "MaxResults", "1");
        assertThat(cloud.ok(
                                "DescribeInstances",
                                "MaxResults",
                                "1",
                                "NextToken",
                                byToken.path("NextToken").asText())
                        .at("/Instances/Instance/0/InstanceId")
                        .asText())
                .isEqualTo(cloud.emulator.instanceIds().get(1));
    }

    @Test
    void instanceTypesTellWhatTheyAllow() {
        JsonNode type = cloud.ok(
                        "DescribeInstanceTypes", "InstanceTypes.1", "ecs.g7.xlarge", "InstanceTypes.2", "ecs.x")
                .at("/InstanceTypes/InstanceType");

        assertThat(type).hasSize(1);
        assertThat(type.get(0).path("EniQuantity").asInt()).isEqualTo(4);
        assertThat(type.get(0).path("EniPrivateIpAddressQuantity").asInt()).isEqualTo(15);
        assertThat(type.get(0).path("EniIpv6AddressQuantity").asInt()).isEqualTo(15);
        assertThat(type.get(0).path("EniTrunkSupported").asBoolean(true)).isFalse();
    }

    @Test
    void instanceTypesCanBeFilteredByFamilyAndPaged() {
        assertThat(TestCloud.texts(
                        cloud.ok("DescribeInstanceTypes", "InstanceTypeFamily", "ecs.g6")
                                .at("/InstanceTypes/InstanceType"),
                        "InstanceTypeId"))
                .containsExactly("ecs.g6.large", "ecs.g6.16xlarge");
        JsonNode whole = cloud.ok("DescribeInstanceTypes");
        assertThat(whole.at("/InstanceTypes/InstanceType").size())
                .isGreaterThan(5)
                .isEqualTo(whole.path("TotalCount").asInt());
        assertThat(whole.path("NextToken").asText()).isEmpty();
        assertThat(cloud.ok("DescribeInstanceTypes", "MaxResults", "3")
                        .path("NextToken")
                        .asText())
                .isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"2016-04-28", "2014-05-26"})
    void vswitchesAreListedByVpcAndByItsOlderTwin(String version) {
        JsonNode all = cloud.ok("DescribeVSwitches", "Version", version);
        assertThat(TestCloud.texts(all.at("/VSwitches/VSwitch"), "CidrBlock"))
                .containsExactly("10.0.0.0/24", "10.0.2.0/28");

        JsonNode one = cloud.ok("DescribeVSwitches", "Version", version, "VSwitchId", "vsw-b");
        assertThat(one.at("/VSwitches/VSwitch")).hasSize(1);
        assertThat(one.at("/VSwitches/VSwitch/0/AvailableIpAddressCount").asInt())
                .isEqualTo(12);
        assertThat(one.at("/VSwitches/VSwitch/0/ZoneId").asText()).isEqualTo("cn-hangzhou-i");
        assertThat(cloud.ok("DescribeVSwitches", "Version", version, "ZoneId", "other")
                        .path("TotalCount")
                        .asInt())
                .isZero();
    }

    @Test
    void enisAreListedPageByPageByNumber() {
        List<String> made = create(23);
        JsonNode second = enis("PageNumber", "2");
        JsonNode third = enis("PageNumber", "3");

        assertThat(second.path("PageSize").asInt()).isEqualTo(10);
        assertThat(second.path("TotalCount").asInt()).isEqualTo(25);
        assertThat(ids(second)).isEqualTo(made.subList(8, 18));
        assertThat(ids(third)).isEqualTo(made.subList(18, 23));
        assertThat(ids(enis("PageNumber", "4"))).isEmpty();
        assertThat(ids(enis("PageSize", "1000"))).hasSize(25);
    }

    @Test
    void enisAreListedByTokenWithoutGapsAlthoughOnesAlreadySeenAreDeleted() {
        List<String> made = create(23);
        JsonNode first = enis("MaxResults", "10");
        assertThat(ids(first)).hasSize(10);
        cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", made.get(0));

        JsonNode second =
                enis("MaxResults", "10", "NextToken", first.path("NextToken").asText());
        JsonNode third =
                enis("MaxResults", "10", "NextToken", second.path("NextToken").asText());
        assertThat(ids(second)).isEqualTo(made.subList(8, 18));
        assertThat(ids(third)).isEqualTo(made.subList(18, 23));
        assertThat(third.path("NextToken").asText()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "MaxResults, 9",
        "MaxResults, 501",
        "PageSize, 0",
        "PageSize, 1001",
        "PageNumber, -1",
        "PageNumber, x",
        "NextToken, YWZ0ZXI6eA",
        "Status, Happy",
        "Type, Tertiary",
        "NetworkInterfaceId.0, eni-x",
        "NetworkInterfaceId.1000000, eni-x"
    })
    void badParametersOfDescribeNetworkInterfacesAreRefused(String name, String value) {
        assertThat(cloud.call("DescribeNetworkInterfaces", name, value).error()).isEqualTo("400 InvalidParameter");
    }

    @Test
    void moreThanAHundredIdsAreRefused() {
        List<String> pairs = new ArrayList<>();
        for (int i = 1; i <= 101; i++) {
            pairs.addAll(List.of("NetworkInterfaceId." + i, "eni-" + i));
        }

        assertThat(cloud.call("DescribeNetworkInterfaces", pairs.toArray(String[]::new))
                        .error())
                .isEqualTo("400 InvalidParameter");
    }

    @Test
    void enisCanBeFilteredByAnythingThatTellsThemApart() {
        String free =
                cloud.create("Tag.1.Key", "node", "Tag.1.Value", "a", "Tag.2.Key", "creator", "Tag.2.Value", "me");
        String other = cloud.create("VSwitchId", "vsw-b", "Tag.1.Key", "node", "Tag.1.Value", "b");
        String used = cloud.attached("NetworkInterfaceName", "pods", "PrivateIpAddress.1", "10.0.0.50");

        assertThat(ids(enis(
                        "NetworkInterfaceId.1", used, "NetworkInterfaceId.2", free, "NetworkInterfaceId.5", "eni-x")))
                .containsExactly(free, used);
        assertThat(ids(enis("InstanceId", cloud.instance(), "Type", "Secondary")))
                .containsExactly(used);
        assertThat(ids(enis("Type", "Primary"))).hasSize(2);
        assertThat(ids(enis("Status", "Available"))).containsExactly(free, other);
        assertThat(ids(enis("VSwitchId", "vsw-b"))).containsExactly(other);
        assertThat(ids(enis("VpcId", "vpc-none"))).isEmpty();
        assertThat(ids(enis("SecurityGroupId", "sg-none"))).isEmpty();
        assertThat(ids(enis("SecurityGroupId", cloud.securityGroup()))).hasSize(5);
        assertThat(ids(enis("NetworkInterfaceName", "pods"))).containsExactly(used);
        assertThat(ids(enis("PrivateIpAddress.1", "10.0.0.50"))).containsExactly(used);
        assertThat(ids(enis("Tag.1.Key", "node"))).containsExactly(free, other);
        assertThat(ids(enis("Tag.1.Key", "node", "Tag.1.Value", "a", "Tag.2.Key", "creator", "Tag.2.Value", "me")))
                .containsExactly(free);
        assertThat(ids(enis("Tag.1.Key", "node", "Tag.1.Value", "c"))).isEmpty();
    }

    private JsonNode enis(String... pairs) {
        return cloud.ok("DescribeNetworkInterfaces", pairs);
    }

    private static List<String> ids(JsonNode answer) {
        return TestCloud.texts(answer.at("/NetworkInterfaceSets/NetworkInterfaceSet"), "NetworkInterfaceId");
    }

    private List<String> create(int count) {
        List<String> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(cloud.create());
        }
        return made;
    }

    private static Map<String, String> twoVswitches() {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put(TestCloud.VSWITCH, "10.0.0.0/24");
        vswitches.put("vsw-b", "10.0.2.0/28");
        return vswitches;
    }
}
