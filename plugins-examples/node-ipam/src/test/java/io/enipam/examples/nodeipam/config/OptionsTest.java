package io.enipam.examples.nodeipam.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.nodeipam.config.Options.Range;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ranges.Subnet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases of the acceptance table: what settings there may be, in the words of the controller manager. */
class OptionsTest {
    private static Options options(String settings) {
        Map<String, List<String>> written = new HashMap<>();
        for (String setting : settings.isEmpty() ? new String[0] : settings.split(" ")) {
            String[] parts = setting.split("=");
            written.put(parts[0], List.of(parts[1]));
        }
        return Options.of(Settings.of(Options.SETTINGS, written));
    }

    @ParameterizedTest(name = "b25 {0}")
    @CsvSource({
        "'', 'failed to parse cidr value:\"\" with error:invalid CIDR address: '",
        "cluster_cidr=10.0.0.0/33, 'failed to parse cidr value:\"10.0.0.0/33\" with error:invalid CIDR address:"
                + " 10.0.0.0/33'",
        "'cluster_cidr=10.0.0.0/16,10.1.0.0/16', len of ClusterCIDRs==2 and they are not configured as dual stack (at"
                + " least one from each IPFamily)",
        "'cluster_cidr=10.0.0.0/16,10.1.0.0/16,fd00::/56', len of clusters is:3 > more than max allowed of 2",
        "'cluster_cidr=10.0.0.0/16,fd00::/56 node_cidr_mask_size=24', usage of --node-cidr-mask-size is not allowed"
                + " with dual-stack clusters",
        "cluster_cidr=10.0.0.0/16 node_cidr_mask_size_ipv4=24, usage of --node-cidr-mask-size-ipv4 and"
                + " --node-cidr-mask-size-ipv6 are not allowed with non dual-stack clusters",
        "cluster_cidr=10.0.0.0/24 node_cidr_mask_size=16, 'Controller: Invalid --cluster-cidr, mask size of cluster"
                + " CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family'",
        "cluster_cidr=fd00::/32 node_cidr_mask_size=49, New CIDR set failed; the node CIDR size is too big",
        "cluster_cidr=10.0.0.0/16 cidr_allocator_type=Foo, invalid CIDR allocator type: Foo"
    })
    void b25StartUpIsRefused(String settings, String why) {
        assertThatThrownBy(() -> options(settings.replace("cluster_cidr= ", "")))
                .isInstanceOfSatisfying(
                        FactoryException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                .hasMessage(why);
    }

    @Test
    void b25TwoRangesOfServicesAreOfTwoFamilies() {
        assertThatThrownBy(() -> options("cluster_cidr=10.0.0.0/16 service_cluster_ip_range=10.96.0.0/16,10.97.0.0/16"))
                .hasMessage("serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
    }

    @Test
    void b25AServiceCidrThatCannotBeReadIsAWarning() {
        Options options = options("cluster_cidr=10.0.0.0/16 service_cluster_ip_range=10.96.0.0/16,fd00:x");
        assertThat(options.services()).containsExactly(Subnet.parse("10.96.0.0/16"));
        assertThat(options.warnings())
                .containsExactly("service_cluster_ip_range: fd00:x is left out: invalid CIDR address: fd00:x");
    }

    @ParameterizedTest(name = "b26 {0}")
    @CsvSource({
        "i, cluster_cidr=10.0.0.0/21, ''",
        "i, 'cluster_cidr=10.0.0.0/21,2000::/10 node_cidr_mask_size_ipv6=98', too big",
        "i, 'cluster_cidr=10.0.0.0/21,2000::/10 node_cidr_mask_size_ipv6=98 service_cluster_ip_range=3000::/10', too"
                + " big",
        "ii, cluster_cidr=10.0.0.0/21 cidr_allocator_type=CloudAllocator, ''",
        "ii, cluster_cidr=10.0.0.0/21 cidr_allocator_type=IPAMFromCluster, ''",
        "ii, cluster_cidr=10.0.0.0/21 cidr_allocator_type=IPAMFromCloud, ''",
        "ii, cluster_cidr=invalid cidr_allocator_type=CloudAllocator, ''",
        "ii, cluster_cidr=10.0.0.0/26 cidr_allocator_type=CloudAllocator, ''",
        "iii, cluster_cidr=invalid cidr_allocator_type=IPAMFromCluster, invalid CIDR",
        "iii, cluster_cidr=10.0.0.0/26 cidr_allocator_type=IPAMFromCloud, mask size",
        "iii, cluster_cidr=10.0.0.0/23 service_cluster_ip_range=10.0.0.0/21 cidr_allocator_type=IPAMFromCluster, no"
                + " block is left",
        "iii, cluster_cidr=2000::/64 node_cidr_mask_size=48 cidr_allocator_type=IPAMFromCluster, mask size"
    })
    void b26WhichConfigurationsAreFatal(String part, String settings, String why) {
        if (why.isEmpty()) {
            assertThat(options(settings).warnings()).isEmpty();
        } else {
            assertThatThrownBy(() -> options(settings)).hasMessageContaining(why);
        }
    }

    @Test
    void theDefaultsAreThoseOfTheControllerManager() {
        Options single = options("cluster_cidr=10.0.0.1/16");
        assertThat(single.type()).isEqualTo(Options.Type.RANGE);
        assertThat(single.ranges()).containsExactly(new Range(Subnet.parse("10.0.0.0/16"), 24));
        assertThat(List.of(single.workers(), single.queue(), single.retries())).containsExactly(30, 5_000, 3);
        Options dual = options("cluster_cidr=fd00::/56,10.0.0.0/16");
        assertThat(dual.ranges())
                .containsExactly(new Range(Subnet.parse("fd00::/56"), 64), new Range(Subnet.parse("10.0.0.0/16"), 24));
        assertThat(options("cluster_cidr=fd00::/56").ranges())
                .containsExactly(new Range(Subnet.parse("fd00::/56"), 64));
    }

    @Test
    void clusterCidrsMayComeFromObjectsAlone() {
        assertThat(options("cidr_allocator_type=MultiCIDRRangeAllocator").ranges())
                .isEmpty();
    }
}
