package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.cloud.Latency;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmulatorConfigTest {
    @Test
    void theSecretIsNotShown() {
        assertThat(EmulatorConfig.defaults().toString()).contains("testid").doesNotContain("testsecret");
    }

    @Test
    void allProblemsAreToldAtOnce() {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put("vsw-a", "10.0.0.0/24");
        vswitches.put("vsw-b", "10.0.0.128/25");
        vswitches.put("vsw-c", "10.0.0.1/24");
        EmulatorConfig good = EmulatorConfig.defaults();

        assertThatThrownBy(() -> new EmulatorConfig(
                        InetSocketAddress.createUnresolved("nowhere", 80),
                        good.metadataListen(),
                        new EmulatorConfig.Site(" ", List.of("zone"), List.of("ecs.unknown"), vswitches),
                        good.accessKey(),
                        good.stateFile(),
                        Latency.NONE,
                        1,
                        good.quotas()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the host of nowhere:80 is not known")
                .hasMessageContaining("the region is empty")
                .hasMessageContaining("ecs.unknown is unknown; known are [ecs.c6.xlarge")
                .hasMessageContaining("vsw-a and vsw-b overlap")
                .hasMessageContaining("vsw-c: 10.0.0.1/24 is not an IPv4 block of /16 to /29");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "10.0.0.0", "10.0.0.0/8", "10.0.0.0/30", "fd00::/64", "*", "10.0.*.*/16"})
    void aVswitchMustBeAnIpv4BlockOfTheRightSize(String cidr) {
        assertThatThrownBy(() -> EmulatorConfig.defaults().withVswitches(Map.of("vsw-a", cidr)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not an IPv4 block");
    }

    @ParameterizedTest
    @CsvSource({
        "vsw-a@, 10.0.1.0/24, vSwitch vsw-a: the zone after the @ is empty",
        "@z, 10.0.1.0/24, the vSwitch id is empty",
        "vsw-a, '10.0.1.0/24,', vSwitch vsw-a:  is not an IPv6 block of /64",
        "vsw-a, '10.0.1.0/24,fd00::1/64', 'vSwitch vsw-a: fd00::1/64 is not an IPv6 block of /64'",
        "vsw-a, '10.0.1.0/24,10.0.2.0/24', 'vSwitch vsw-a: 10.0.2.0/24 is not an IPv6 block of /64'",
        "vsw-b@z, 10.0.1.0/24, vSwitch vsw-b is there twice",
        "vsw-a, '10.0.1.0/24,fd00::/64', vSwitches vsw-b and vsw-a overlap"
    })
    void aVswitchThatMakesNoSenseIsToldWithItsReason(String name, String cidrs, String problem) {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put("vsw-b", "10.0.0.0/24,fd00:0::/64");
        vswitches.put(name, cidrs);

        assertThatThrownBy(() -> EmulatorConfig.defaults().withVswitches(vswitches))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void everyZoneWithInstancesNeedsAVswitch() {
        EmulatorConfig two = EmulatorConfig.defaults().withZones("cn-a", "cn-b");

        assertThatThrownBy(() -> two.withInstanceTypes("ecs.g7.large", "ecs.g7.large"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("zone cn-b has no vSwitch for its instances; add one as ID@cn-b=CIDR");
        assertThatThrownBy(() -> two.withZones("cn-a", "cn-a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a zone is named twice");
        assertThatThrownBy(two::withZones)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no zone");
    }

    @Test
    void metadataOfTheNextInstancesIsOnTheNextPorts() throws IOException {
        EmulatorConfig two = EmulatorConfig.defaults().withInstanceTypes("ecs.g7.large", "ecs.g7.large");
        // another program may take a port in between: then it is tried on other ports
        for (int attempt = 0; attempt < 50; attempt++) {
            InetSocketAddress first;
            try (ServerSocket free = new ServerSocket(0, 1, two.listen().getAddress())) {
                first = (InetSocketAddress) free.getLocalSocketAddress();
            }
            if (first.getPort() == 65_535) {
                continue;
            }
            try (CloudEmulator emulator = CloudEmulator.start(TestCloud.listening(two, two.listen(), first))) {
                assertThat(emulator.instanceIds())
                        .extracting(id -> emulator.metadataAddress(id).getPort())
                        .containsExactly(first.getPort(), first.getPort() + 1);
                return;
            } catch (EmulatorException taken) {
                assertThat(taken).hasMessageContaining("cannot listen on");
            }
        }
        throw new AssertionError("no two free ports in a row");
    }

    @Test
    void moreInstancesThanAddressesIsAClearError() {
        EmulatorConfig config = EmulatorConfig.defaults()
                .withVswitches(Map.of("vsw-a", "10.0.0.0/29"))
                .withInstanceTypes("ecs.g7.large", "ecs.g7.large", "ecs.g7.large", "ecs.g7.large", "ecs.g7.large");

        assertThatThrownBy(() -> CloudEmulator.start(config))
                .isInstanceOf(EmulatorException.class)
                .hasMessageContaining("has 4 addresses for 5 instances");
    }

    @Test
    void theSameSeedMakesTheSameCloudAndAnotherSeedAnother() {
        try (TestCloud one = new TestCloud();
                TestCloud same = new TestCloud();
                TestCloud other = new TestCloud(EmulatorConfig.defaults().withSeed(2))) {
            assertThat(one.create()).isEqualTo(same.create()).isNotEqualTo(other.create());
            assertThat(one.emulator.snapshot()).isEqualTo(same.emulator.snapshot());
            assertThat(one.instance()).isNotEqualTo(other.instance());
        }
    }
}
