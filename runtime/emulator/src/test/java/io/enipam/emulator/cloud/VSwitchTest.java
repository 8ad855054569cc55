package io.enipam.emulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.cloud.VSwitch.Block;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VSwitchTest {
    private final VSwitch small = new VSwitch("vsw-a", "10.1.2.8/29", Optional.empty(), "zone");

    @Test
    void theFirstAndTheLastThreeAddressesAreReserved() {
        assertThat(small.capacity()).isEqualTo(4);
        assertThat(small.ipv4().free(10, Set.of())).containsExactly("10.1.2.9", "10.1.2.10", "10.1.2.11", "10.1.2.12");
        assertThat(new VSwitch("vsw-b", "192.168.1.0/24", Optional.empty(), "zone").capacity())
                .isEqualTo(252);
    }

    @Test
    void usedAddressesAreNotFree() {
        assertThat(small.ipv4().free(2, Set.of("10.1.2.9", "10.1.2.11"))).containsExactly("10.1.2.10", "10.1.2.12");
    }

    @Test
    void offersOnlyPlainAddressesInsideTheBlockThatAreNotReserved() {
        assertThat(small.offers("10.1.2.9")).isTrue();
        assertThat(small.offers("10.1.2.12")).isTrue();
        for (String other : new String[] {
            "10.1.2.8", "10.1.2.13", "10.1.2.15", "10.1.2.16", "10.1.2.09", "10.1.2.9/29", "10.1.2.*", "x", "", "::1"
        }) {
            assertThat(small.offers(other)).as(other).isFalse();
        }
    }

    @Test
    void theGatewayIsTwoBelowTheBroadcastAddress() {
        assertThat(small.ipv4().gateway()).isEqualTo("10.1.2.13");
        assertThat(small.netmask()).isEqualTo("255.255.255.248");
    }

    @Test
    void prefixesAreWholeBlocksWithoutReservedOrUsedAddresses() {
        VSwitch wide = new VSwitch("vsw-c", "10.1.0.0/26", Optional.empty(), "zone");

        assertThat(wide.freePrefixes(9, Set.of())).containsExactly("10.1.0.16/28", "10.1.0.32/28");
        assertThat(wide.freePrefixes(9, Set.of("10.1.0.31"))).containsExactly("10.1.0.32/28");
        assertThat(small.freePrefixes(1, Set.of())).isEmpty();
        assertThat(wide.offersPrefix("10.1.0.16/28")).isTrue();
        for (String other : new String[] {
            "10.1.0.0/28", "10.1.0.48/28", "10.1.0.16/27", "10.1.0.17/28", "10.1.0.64/28", "10.1.0.16", "x", "::/28"
        }) {
            assertThat(wide.offersPrefix(other)).as(other).isFalse();
        }
        assertThat(VSwitch.expand("10.1.0.16/28")).hasSize(16).contains("10.1.0.16", "10.1.0.31");
    }

    @Test
    void theFirstAndTheLastNineIpv6AddressesAreReservedAndEachHasOneSpelling() {
        Block block = new VSwitch("vsw-d", "10.1.0.0/26", Optional.of("fd00:0:0:1::/64"), "zone")
                .ipv6()
                .orElseThrow();

        assertThat(block.free(2, Set.of("fd00:0:0:1::1"))).containsExactly("fd00:0:0:1::2", "fd00:0:0:1::3");
        assertThat(block.offered("FD00:0:0:1:0:0:0:0aB")).contains("fd00:0:0:1::ab");
        assertThat(block.offered("fd00:0:0:1:ffff:ffff:ffff:fff6")).isPresent();
        for (String other : new String[] {
            "fd00:0:0:1::", "fd00:0:0:1:ffff:ffff:ffff:fff7", "fd00:0:0:2::1", "10.0.0.1", "fd00:0:0:1::/96", "x", ""
        }) {
            assertThat(block.offered(other)).as(other).isEmpty();
        }
    }
}
