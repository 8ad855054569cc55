package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EniLifecycleTest {
    @AutoClose
    private final TestCloud cloud =
            new TestCloud(EmulatorConfig.defaults().withInstanceTypes("ecs.g7.xlarge", "ecs.t1.xsmall"));

    @Test
    void anEniGoesFromCreationToDeletion() {
        JsonNode created = cloud.createAnswer(
                        "NetworkInterfaceName", "pods", "Tag.1.Key", "creator", "Tag.1.Value", "me")
                .json();
        String eni = created.path("NetworkInterfaceId").asText();
        assertThat(eni).matches("eni-[0-9a-z]{20}");
        assertThat(created.path("Status").asText()).isEqualTo("Available");
        assertThat(created.path("MacAddress").asText()).matches("02(:[0-9a-f]{2}){5}");
        assertThat(created.at("/PrivateIpSets/PrivateIpSet/0/Primary").asBoolean())
                .isTrue();
        assertThat(created.at("/Tags/Tag/0/TagKey").asText()).isEqualTo("creator");

        cloud.ok("AttachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
        assertThat(cloud.status(eni)).isEqualTo("InUse");
        assertThat(cloud.ok("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni)
                        .at("/NetworkInterfaceSets/NetworkInterfaceSet/0/Attachment/InstanceId")
                        .asText())
                .isEqualTo(cloud.instance());

        JsonNode assigned =
                cloud.ok("AssignPrivateIpAddresses", "NetworkInterfaceId", eni, "SecondaryPrivateIpAddressCount", "3");
        List<String> ips =
                TestCloud.texts(assigned.at("/AssignedPrivateIpAddressesSet/PrivateIpSet/PrivateIpAddress"), "");
        assertThat(ips).hasSize(3).doesNotHaveDuplicates().allMatch(ip -> ip.startsWith("10.0.0."));
        assertThat(entry(eni).addresses().privateIps()).endsWith(ips.toArray(String[]::new));

        cloud.ok("UnassignPrivateIpAddresses", "NetworkInterfaceId", eni, "PrivateIpAddress.1", ips.get(1));
        assertThat(entry(eni).addresses().privateIps())
                .containsExactly(entry(eni).addresses().primaryIp(), ips.get(0), ips.get(2));

        cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
        assertThat(cloud.status(eni)).isEqualTo("Available");
        assertThat(entry(eni).instanceId()).isEmpty();
        assertThat(entry(eni).tags()).isEqualTo(Map.of("creator", "me"));

        cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
        assertThat(cloud.status(eni)).isEqualTo("absent");
        assertThat(cloud.emulator.snapshot().eni(eni)).isEmpty();
    }

    @Test
    void eachInstanceHasAPrimaryEniFromTheFirstVswitch() {
        assertThat(cloud.emulator.snapshot().enis())
                .allMatch(EniEntry::primary)
                .extracting(
                        EniEntry::status,
                        eni -> eni.addresses().vswitchId(),
                        eni -> eni.addresses().primaryIp())
                .containsExactly(
                        tuple("InUse", TestCloud.VSWITCH, "10.0.0.1"), tuple("InUse", TestCloud.VSWITCH, "10.0.0.2"));
    }

    @Test
    void anEniIsMadeWithTheAddressesAskedFor() {
        String eni = cloud.create(
                "PrimaryIpAddress", "10.0.0.77", "PrivateIpAddress.1", "10.0.0.3", "PrivateIpAddress.2", "10.0.0.99");

        assertThat(entry(eni).addresses().privateIps()).containsExactly("10.0.0.77", "10.0.0.3", "10.0.0.99");
        assertThat(entry(cloud.create("SecondaryPrivateIpAddressCount", "2"))
                        .addresses()
                        .privateIps())
                .containsExactly("10.0.0.6", "10.0.0.4", "10.0.0.5");
    }

    @ParameterizedTest
    @CsvSource({
        "VSwitchId, vsw-none, 404 InvalidVSwitchId.NotFound",
        "VSwitchId, '', 400 MissingParameter",
        "SecurityGroupId, sg-none, 404 InvalidSecurityGroupId.NotFound",
        "SecurityGroupId, '', 400 MissingParameter",
        "SecurityGroupIds.1, sg-x, 400 InvalidParameter.Conflict",
        "PrimaryIpAddress, 10.0.1.1, 400 InvalidVSwitchId.IpInvalid",
        "PrimaryIpAddress, 10.0.0.0, 400 InvalidVSwitchId.IpInvalid",
        "PrimaryIpAddress, 10.0.0.253, 400 InvalidVSwitchId.IpInvalid",
        "PrimaryIpAddress, nonsense, 400 InvalidVSwitchId.IpInvalid",
        "PrimaryIpAddress, 10.0.0.1, 403 InvalidIp.IpAssigned",
        "SecondaryPrivateIpAddressCount, 0, 400 InvalidParameter",
        "SecondaryPrivateIpAddressCount, 50, 400 InvalidParameter",
        "SecondaryPrivateIpAddressCount, three, 400 InvalidParameter",
        "SecondaryPrivateIpAddressCount, 99999999999, 400 InvalidParameter",
        "InstanceType, Member, 400 InvalidParameter",
        "DeleteOnRelease, perhaps, 400 InvalidParameter",
        "Ipv6AddressCount, 1, 403 InvalidVSwitchId.Ipv6NotTurnOn",
        "Ipv6PrefixCount, 1, 400 UnsupportedParameter",
        "Ipv4PrefixCount, 11, 400 InvalidParameter",
        "Ipv4Prefix.1, 10.0.0.0/28, 400 InvalidVSwitchId.IpInvalid",
        "Ipv4Prefix.1, 10.0.0.16/27, 400 InvalidVSwitchId.IpInvalid",
        "Ipv4Prefix.1, x, 400 InvalidVSwitchId.IpInvalid",
        "PrivateIpAddress.x, 10.0.0.9, 400 InvalidParameter",
        "Tag.1.Value, v, 400 InvalidTagKey.Malformed",
        "Tag.Key, k, 400 InvalidParameter"
    })
    void aCreateThatCannotBeIsRefusedAndLeavesNothing(String name, String value, String error) {
        assertThat(cloud.createAnswer(name, value).error()).isEqualTo(error);
        assertThat(cloud.emulator.snapshot().enis()).hasSize(2);
    }

    @Test
    void aCreateIsRefusedForRepeatedAddressesAndTags() {
        assertThat(cloud.createAnswer("PrivateIpAddress.1", "10.0.0.9", "PrivateIpAddress.2", "10.0.0.9")
                        .error())
                .isEqualTo("400 InvalidIp.IpRepeated");
        assertThat(cloud.createAnswer("PrimaryIpAddress", "10.0.0.9", "PrivateIpAddress.1", "10.0.0.9")
                        .error())
                .isEqualTo("403 InvalidIp.IpAssigned");
        assertThat(cloud.createAnswer("PrivateIpAddress.1", "10.0.0.9", "SecondaryPrivateIpAddressCount", "1")
                        .error())
                .isEqualTo("400 InvalidParameter.Conflict");
        assertThat(cloud.createAnswer("Tag.1.Key", "a", "Tag.2.Key", "a").error())
                .isEqualTo("400 Duplicate.TagKey");
        assertThat(cloud.createAnswer(numbered("Tag.%d.Key", "k", 21)).error()).isEqualTo("403 QuotaExceed.Tags");
        assertThat(cloud.createAnswer(numbered("PrivateIpAddress.%d", "10.0.0.1", 11))
                        .error())
                .isEqualTo("400 InvalidParameter");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "AttachNetworkInterface",
                "DetachNetworkInterface",
                "DeleteNetworkInterface",
                "AssignPrivateIpAddresses",
                "UnassignPrivateIpAddresses"
            })
    void anUnknownOrMissingEniIsRefused(String action) {
        assertThat(cloud.call(action, "NetworkInterfaceId", "eni-none", "InstanceId", cloud.instance())
                        .error())
                .isEqualTo("404 InvalidEniId.NotFound");
        assertThat(cloud.call(action, "InstanceId", cloud.instance()).error()).isEqualTo("400 MissingParameter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"AttachNetworkInterface", "DetachNetworkInterface"})
    void anUnknownOrMissingInstanceIsRefused(String action) {
        String eni = cloud.create();

        assertThat(cloud.call(action, "NetworkInterfaceId", eni, "InstanceId", "i-none")
                        .error())
                .isEqualTo("404 InvalidEcsId.NotFound");
        assertThat(cloud.call(action, "NetworkInterfaceId", eni).error()).isEqualTo("400 MissingParameter");
    }

    @Test
    void aCallThatDoesNotFitTheStateIsRefused() {
        String free = cloud.create();
        String used = cloud.attached();
        String here = cloud.instance();
        String there = cloud.emulator.instanceIds().get(1);
        String wrong = "400 InvalidOperation.InvalidEniState";

        assertThat(cloud.call("AttachNetworkInterface", "NetworkInterfaceId", used, "InstanceId", here)
                        .error())
                .isEqualTo(wrong);
        assertThat(cloud.call("DetachNetworkInterface", "NetworkInterfaceId", free, "InstanceId", here)
                        .error())
                .isEqualTo(wrong);
        assertThat(cloud.call("DetachNetworkInterface", "NetworkInterfaceId", used, "InstanceId", there)
                        .error())
                .isEqualTo(wrong);
        assertThat(cloud.call("DeleteNetworkInterface", "NetworkInterfaceId", used)
                        .error())
                .isEqualTo(wrong);
        assertThat(cloud.status(used)).isEqualTo("InUse");
    }

    @Test
    void thePrimaryEniStays() {
        String primary = cloud.emulator.snapshot().enis().get(0).id();

        assertThat(cloud.call("DetachNetworkInterface", "NetworkInterfaceId", primary, "InstanceId", cloud.instance())
                        .error())
                .isEqualTo("403 InvalidOperation.DetachPrimaryEniNotAllowed");
        assertThat(cloud.call("DeleteNetworkInterface", "NetworkInterfaceId", primary)
                        .error())
                .isEqualTo("400 InvalidOperation.InvalidEniState");
    }

    @Test
    void aTrunkEniNeedsATypeThatTakesIt() {
        String trunk = cloud.create("InstanceType", "Trunk");

        assertThat(cloud.call("AttachNetworkInterface", "NetworkInterfaceId", trunk, "InstanceId", cloud.instance())
                        .error())
                .isEqualTo("403 InvalidOperation.InvalidEniType");
    }

    @Test
    void anAssignThatCannotBeIsRefusedAndChangesNothing() {
        String eni = cloud.attached();
        String id = "NetworkInterfaceId";
        String action = "AssignPrivateIpAddresses";

        assertThat(cloud.call(action, id, eni).error()).isEqualTo("400 MissingParameter");
        assertThat(cloud.call(action, id, eni, "PrivateIpAddress.1", "10.0.0.1").error())
                .isEqualTo("403 InvalidIp.IpAssigned");
        assertThat(cloud.call(action, id, eni, "PrivateIpAddress.1", "10.0.0.9", "PrivateIpAddress.2", "10.0.9.9")
                        .error())
                .isEqualTo("400 InvalidVSwitchId.IpInvalid");
        assertThat(cloud.call(action, id, eni, "SecondaryPrivateIpAddressCount", "-1")
                        .error())
                .isEqualTo("400 InvalidParameter");
        assertThat(entry(eni).addresses().privateIps()).hasSize(1);
    }

    @Test
    void anUnassignThatCannotBeIsRefusedAndChangesNothing() {
        String eni = cloud.attached("PrivateIpAddress.1", "10.0.0.50");
        String id = "NetworkInterfaceId";
        String action = "UnassignPrivateIpAddresses";

        assertThat(cloud.call(action, id, eni).error()).isEqualTo("400 MissingParameter");
        assertThat(cloud.call(
                                action,
                                id,
                                eni,
                                "PrivateIpAddress.1",
                                entry(eni).addresses().primaryIp())
                        .error())
                .isEqualTo("400 InvalidParameter");
        assertThat(cloud.call(action, id, eni, "PrivateIpAddress.1", "10.0.0.50", "PrivateIpAddress.2", "10.0.0.51")
                        .error())
                .isEqualTo("403 InvalidIp.IpUnassigned");
        assertThat(cloud.call(action, id, eni, "PrivateIpAddress.1", "10.0.0.50", "PrivateIpAddress.2", "10.0.0.50")
                        .error())
                .isEqualTo("400 InvalidIp.IpRepeated");
        assertThat(entry(eni).addresses().privateIps()).hasSize(2);
    }

    private EniEntry entry(String eni) {
        return cloud.emulator.snapshot().eni(eni).orElseThrow();
    }

    private static String[] numbered(String name, String value, int count) {
        String[] pairs = new String[2 * count];
        for (int i = 0; i < count; i++) {
            pairs[2 * i] = String.format(name, i + 1);
            pairs[2 * i + 1] = value + i;
        }
        return pairs;
    }
}
