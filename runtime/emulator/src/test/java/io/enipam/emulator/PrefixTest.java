package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class PrefixTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud();

    @Test
    void aPrefixIsSixteenAddressesThatNobodyElseGets() {
        int before = free();
        String eni = cloud.attached("Ipv4PrefixCount", "2");
        assertThat(prefixes(eni)).containsExactly("10.0.0.16/28", "10.0.0.32/28");
        assertThat(free()).isEqualTo(before - 1 - 32);

        JsonNode assigned =
                cloud.ok("AssignPrivateIpAddresses", "NetworkInterfaceId", eni, "Ipv4Prefix.1", "10.0.0.64/28");
        assertThat(assigned.at("/AssignedPrivateIpAddressesSet/Ipv4PrefixSet/Ipv4Prefixes/0")
                        .asText())
                .isEqualTo("10.0.0.64/28");
        assertThat(cloud.createAnswer("PrimaryIpAddress", "10.0.0.17").error()).isEqualTo("403 InvalidIp.IpAssigned");
        assertThat(cloud.createAnswer("Ipv4Prefix.1", "10.0.0.64/28").error()).isEqualTo("403 InvalidIp.IpAssigned");

        cloud.ok(
                "UnassignPrivateIpAddresses",
                "NetworkInterfaceId",
                eni,
                "Ipv4Prefix.1",
                "10.0.0.16/28",
                "Ipv4Prefix.2",
                "10.0.0.64/28");
        assertThat(prefixes(eni)).containsExactly("10.0.0.32/28");
        assertThat(cloud.createAnswer("PrimaryIpAddress", "10.0.0.17").status()).isEqualTo(200);
    }

    @Test
    void aPrefixCountsAsOneAddressOfTheEni() {
        String eni = cloud.attached("Ipv4PrefixCount", "10");

        assertThat(assign(eni, "SecondaryPrivateIpAddressCount", "5"))
                .isEqualTo("403 InvalidOperation.Ipv4CountExceeded");
        assertThat(assign(eni, "SecondaryPrivateIpAddressCount", "4")).isEqualTo("200 ");
        assertThat(assign(eni, "Ipv4PrefixCount", "1")).isEqualTo("403 InvalidOperation.Ipv4CountExceeded");
    }

    @Test
    void addressesAndPrefixesAreNotAskedForInOneCallAndBlocksRunOut() {
        String eni = cloud.create();

        assertThat(assign(eni, "Ipv4PrefixCount", "1", "SecondaryPrivateIpAddressCount", "1"))
                .isEqualTo("400 InvalidParameter.Conflict");
        assertThat(assign(eni, "Ipv4PrefixCount", "1", "Ipv4Prefix.1", "10.0.0.16/28"))
                .isEqualTo("400 InvalidParameter.Conflict");
        assertThat(assign(eni, "Ipv4Prefix.1", "10.0.0.16/28", "Ipv4Prefix.2", "10.0.0.16/28"))
                .isEqualTo("400 InvalidIp.IpRepeated");
        assertThat(assign(eni, "Ipv4PrefixCount", "10")).isEqualTo("200 ");
        assertThat(assign(eni, "Ipv4PrefixCount", "5")).isEqualTo("403 InvalidVSwitchId.IpNotEnough");
    }

    private String assign(String eni, String... pairs) {
        List<String> all = new ArrayList<>(List.of("NetworkInterfaceId", eni));
        all.addAll(List.of(pairs));
        return cloud.call("AssignPrivateIpAddresses", all.toArray(String[]::new))
                .error();
    }

    private int free() {
        return cloud.ok("DescribeVSwitches")
                .at("/VSwitches/VSwitch/0/AvailableIpAddressCount")
                .asInt();
    }

    private List<String> prefixes(String eni) {
        return TestCloud.texts(
                cloud.ok("DescribeNetworkInterfaceAttribute", "NetworkInterfaceId", eni)
                        .at("/Ipv4PrefixSets/Ipv4PrefixSet"),
                "Ipv4Prefix");
    }
}
