package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.cloud.Latency;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
                        " ",
                        "zone",
                        List.of("ecs.unknown"),
                        vswitches,
                        "id",
                        "secret",
                        good.stateFile(),
                        Latency.NONE,
                        1))
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
            assertThat(one.emulator.books()).isEqualTo(same.emulator.books());
            assertThat(one.instance()).isNotEqualTo(other.instance());
        }
    }
}
