package io.enipam.examples.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.cidr.Allocation.Grant;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AllocationTextTest {
    private static final Allocation PAIR = new Allocation(
            new RequestToken("a_Token-9"),
            List.of(
                    new Grant(IpText.address("10.64.0.7"), 24, Optional.of(IpText.address("10.64.0.1"))),
                    new Grant(IpText.address("fd00::7"), 64, Optional.of(IpText.address("fd00::1")))),
            Instant.parse("2026-11-21T07:00:00Z"));

    @Test
    void readsBackWhatItWrote() {
        Allocation single = new Allocation(
                new RequestToken("t"),
                List.of(new Grant(IpText.address("fd00::7"), 128, Optional.empty())),
                PAIR.since());
        for (Allocation allocation : List.of(PAIR, single)) {
            assertThat(Allocation.read(allocation.write())).isEqualTo(allocation);
        }
    }

    @Test
    void theResourceSaysAllThatTheDatapathNeeds() {
        Resource resource = PAIR.resource();
        assertThat(resource.id()).hasToString("10.64.0.7_fd00::7");
        assertThat(resource.addresses().toString()).isEqualTo("[10.64.0.7/24, fd00::7/64]");
        assertThat(resource.attributes())
                .isEqualTo(Map.of("gateway", "10.64.0.1", "gateway6", "fd00::1", "token", "a_Token-9"));
    }

    @Test
    void everySingleChangedByteIsSeen() {
        byte[] written = PAIR.write();
        for (int i = 0; i < written.length; i++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] damaged = written.clone();
                damaged[i] ^= (byte) (1 << bit);
                assertThatThrownBy(() -> Allocation.read(damaged))
                        .as(new String(damaged, StandardCharsets.ISO_8859_1))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void halfAFileIsNone() {
        byte[] written = PAIR.write();
        for (int length = 0; length < written.length; length++) {
            byte[] part = Arrays.copyOf(written, length);
            assertThatThrownBy(() -> Allocation.read(part)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aNameStandsForItsAddressesOrForNothing() {
        assertThat(Allocation.addressesNamed("10.64.0.7_fd00::7"))
                .containsExactlyInAnyOrder(IpText.address("10.64.0.7"), IpText.address("fd00::7"));
        assertThat(Allocation.addressesNamed("last_reserved_ip.0")).isEmpty();
        assertThat(Allocation.addressesNamed("10.64.0.7_")).isEmpty();
        assertThat(Allocation.addressesNamed("10.64.0.7.swp")).isEmpty();
    }
}
