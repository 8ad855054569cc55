package io.enipam.emulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class VSwitchTest {
    private final VSwitch small = new VSwitch("vsw-a", "10.1.2.8/29", "zone");

    @Test
    void theFirstAndTheLastThreeAddressesAreReserved() {
        assertThat(small.capacity()).isEqualTo(4);
        assertThat(small.free(10, Set.of())).containsExactly("10.1.2.9", "10.1.2.10", "10.1.2.11", "10.1.2.12");
        assertThat(new VSwitch("vsw-b", "192.168.1.0/24", "zone").capacity()).isEqualTo(252);
    }

    @Test
    void usedAddressesAreNotFree() {
        assertThat(small.free(2, Set.of("10.1.2.9", "10.1.2.11"))).containsExactly("10.1.2.10", "10.1.2.12");
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
        assertThat(small.gateway()).isEqualTo("10.1.2.13");
        assertThat(small.netmask()).isEqualTo("255.255.255.248");
    }
}
