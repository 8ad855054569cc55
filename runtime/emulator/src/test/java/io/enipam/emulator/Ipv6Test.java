package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A VPC in which the first vSwitch has IPv6 and the second has not. */
class Ipv6Test {
    private static final String ASSIGN = "AssignIpv6Addresses";
    private static final String UNASSIGN = "UnassignIpv6Addresses";

    @AutoClose
    private final TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withVswitches(vswitches()));

    @Test
    void addressesComeAndGo() {
        String eni = cloud.attached();
        JsonNode assigned = cloud.ok(ASSIGN, "NetworkInterfaceId", eni, "Ipv6AddressCount", "3");
        List<String> three = TestCloud.texts(assigned.at("/Ipv6Sets/Ipv6Address"), "");
        assertThat(three).containsExactly("fd00:0:0:1::1", "fd00:0:0:1::2", "fd00:0:0:1::3");
        assertThat(assigned.path("NetworkInterfaceId").asText()).isEqualTo(eni);

        cloud.ok(UNASSIGN, "NetworkInterfaceId", eni, "Ipv6Address.1", "fd00:0:0:1:0:0:0:2");
        assertThat(ipv6s(eni)).containsExactly("fd00:0:0:1::1", "fd00:0:0:1::3");
        assertThat(cloud.emulator.snapshot().eni(eni).orElseThrow().addresses().ipv6s())
                .isEqualTo(ipv6s(eni));

        cloud.ok(ASSIGN, "NetworkInterfaceId", eni, "Ipv6Address.1", "FD00:0:0:1::00AB");
        assertThat(ipv6s(eni)).endsWith("fd00:0:0:1::ab");
        assertThat(cloud.ok("DescribeNetworkInterfaces", "Ipv6Address.1", "fd00:0:0:1::ab")
                        .path("TotalCount")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void anAddressIsTakenBehindTheClientsBack() {
        String eni = cloud.attached();
        cloud.ok(ASSIGN, "NetworkInterfaceId", eni, "Ipv6AddressCount", "2");

        assertThat(cloud.emulator.control().takeIp("fd00:0:0:1::1")).isEqualTo(eni);
        assertThat(ipv6s(eni)).containsExactly("fd00:0:0:1::2");
    }

    @Test
    void anEniIsMadeWithAddresses() {
        JsonNode made = cloud.createAnswer("Ipv6AddressCount", "2").json();

        assertThat(TestCloud.texts(made.at("/Ipv6Sets/Ipv6Set"), "Ipv6Address")).hasSize(2);
    }

    @Test
    void metadataListsThemWithoutQuotesAndNotAtAllWhenThereAreNone() {
        String eni = cloud.attached();
        String mac = cloud.ok("DescribeNetworkInterfaceAttribute", "NetworkInterfaceId", eni)
                .path("MacAddress")
                .asText();
        assertThat(metadata(mac, "ipv6s").status()).isEqualTo(404);

        cloud.ok(ASSIGN, "NetworkInterfaceId", eni, "Ipv6AddressCount", "2");
        assertThat(metadata(mac, "ipv6s").text()).isEqualTo("[fd00:0:0:1::1,fd00:0:0:1::2]");
        assertThat(metadata(mac, "vswitch-ipv6-cidr-block").text()).isEqualTo("fd00:0:0:1::/64");
    }

    @ParameterizedTest
    @CsvSource({
        "Ipv6AddressCount, 11, 400 InvalidParameter",
        "Ipv6AddressCount, 0, 400 InvalidParameter",
        "Ipv6Address.1, nonsense, 400 InvalidVSwitchId.IpInvalid",
        "Ipv6Address.1, 10.0.0.9, 400 InvalidVSwitchId.IpInvalid",
        "Ipv6Address.1, fd00:0:0:2::1, 400 InvalidVSwitchId.IpInvalid",
        "Ipv6Address.1, 'fd00:0:0:1::', 400 InvalidVSwitchId.IpInvalid",
        "Ipv6Address.1, fd00:0:0:1:ffff:ffff:ffff:ffff, 400 InvalidVSwitchId.IpInvalid",
        "Ipv6Address.1, fd00:0:0:1::1, 403 InvalidIp.IpAssigned",
        "Ipv6PrefixCount, 1, 400 UnsupportedParameter",
        "Description, x, 400 MissingParameter"
    })
    void anAssignThatCannotBeIsRefused(String name, String value, String error) {
        String eni = cloud.create("Ipv6AddressCount", "1");

        assertThat(cloud.call(ASSIGN, "NetworkInterfaceId", eni, name, value).error())
                .isEqualTo(error);
        assertThat(ipv6s(eni)).hasSize(1);
    }

    @Test
    void repeatedForeignAndContradictoryAddressesAreRefused() {
        String eni = cloud.create("Ipv6AddressCount", "1");
        String id = "NetworkInterfaceId";

        assertThat(cloud.call(ASSIGN, id, eni, "Ipv6Address.1", "fd00:0:0:1::9", "Ipv6Address.2", "fd00:0:0:1:0::9")
                        .error())
                .isEqualTo("400 InvalidIp.IpRepeated");
        assertThat(cloud.call(ASSIGN, id, eni, "Ipv6Address.1", "fd00:0:0:1::9", "Ipv6AddressCount", "1")
                        .error())
                .isEqualTo("400 InvalidParameter.Conflict");
        assertThat(cloud.call(UNASSIGN, id, eni, "Ipv6Address.1", "fd00:0:0:1::9")
                        .error())
                .isEqualTo("403 InvalidIp.IpUnassigned");
        assertThat(cloud.call(UNASSIGN, id, eni).error()).isEqualTo("400 MissingParameter");
    }

    @Test
    void aVswitchWithoutIpv6HasNone() {
        assertThat(cloud.createAnswer("VSwitchId", "vsw-four", "Ipv6AddressCount", "1")
                        .error())
                .isEqualTo("403 InvalidVSwitchId.Ipv6NotTurnOn");
        assertThat(TestCloud.texts(cloud.ok("DescribeVSwitches").at("/VSwitches/VSwitch"), "Ipv6CidrBlock"))
                .containsExactly("fd00:0:0:1::/64", "");
        assertThat(cloud.ok("DescribeVpcs").at("/Vpcs/Vpc/0/Ipv6CidrBlock").asText())
                .isEqualTo("fd00::/56");
    }

    @Test
    void anEniHasAsManyAsItsTypeAllowsAndTenWhileItIsFree() {
        try (TestCloud small = new TestCloud(
                EmulatorConfig.defaults().withVswitches(vswitches()).withInstanceTypes("ecs.g6.large"))) {
            String exceeded = "403 InvalidOperation.Ipv6CountExceeded";
            String free = small.create("Ipv6AddressCount", "10");
            assertThat(small.call(ASSIGN, "NetworkInterfaceId", free, "Ipv6AddressCount", "1")
                            .error())
                    .isEqualTo(exceeded);
            assertThat(small.call("AttachNetworkInterface", "NetworkInterfaceId", free, "InstanceId", small.instance())
                            .error())
                    .isEqualTo(exceeded);

            String used = small.attached();
            small.ok(ASSIGN, "NetworkInterfaceId", used, "Ipv6AddressCount", "1");
            assertThat(small.call(ASSIGN, "NetworkInterfaceId", used, "Ipv6AddressCount", "1")
                            .error())
                    .isEqualTo(exceeded);
        }
    }

    private List<String> ipv6s(String eni) {
        return TestCloud.texts(
                cloud.ok("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni)
                        .at("/NetworkInterfaceSets/NetworkInterfaceSet/0/Ipv6Sets/Ipv6Set"),
                "Ipv6Address");
    }

    private TestClient.Answer metadata(String mac, String leaf) {
        TestClient client = new TestClient(cloud.emulator.metadataAddress(), cloud.clock);
        return client.send(
                HttpRequest.newBuilder(client.uri("latest/meta-data/network/interfaces/macs/" + mac + "/" + leaf)));
    }

    private static Map<String, String> vswitches() {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put(TestCloud.VSWITCH, "10.0.0.0/24,fd00:0:0:1::/64");
        vswitches.put("vsw-four", "10.0.1.0/24");
        return vswitches;
    }
}
