package io.enipam.shell.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class EniMapTest {
    private static final RenderContext LOOK = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, true);

    private static Eni.Builder eni(int limit, String... states) {
        Eni.Builder eni = Eni.newBuilder().setId("eni-1").setState("InUse").setAddressLimit(limit);
        eni.addAddresses(EniAddress.newBuilder().setAddress("10.0.0.1").setPrimary(true));
        for (String state : states) {
            eni.addAddresses(EniAddress.newBuilder().setAddress("10.0.0.2").setState(state));
        }
        return eni;
    }

    @Test
    void eachAddressIsALetterAndEachFreeSlotADot() {
        Eni eni = eni(10, "IN_USE", "IN_USE", "IDLE", "COOLING", "INVALID")
                .setQueued(1)
                .build();

        assertThat(EniMap.lines(List.of(eni), LOOK, 80))
                .containsExactly(
                        "eni-1  InUse  6 of 10 addresses",
                        "  IPv4  P U U I C X + . . .",
                        "",
                        "P 1 primary   U 2 in use   I 1 idle   C 1 cooling   X 1 invalid   + 1 asked for",
                        ". 3 free");
    }

    @Test
    void theGridOfAnEniWithFiftySlotsFitsIntoFortyColumns() {
        List<String> lines = EniMap.lines(List.of(eni(50).setId("e".repeat(253)).build()), LOOK, 40);

        assertThat(lines).allSatisfy(line -> assertThat(Table.width(line)).isLessThanOrEqualTo(40));
        assertThat(lines.stream().filter(line -> line.matches(" +(IPv4)? +[P.]( \\.){9}")))
                .hasSize(5);
    }

    @Test
    void ipv6AddressesAreARowOfTheirOwnWithoutFreeSlots() {
        Eni eni = eni(2).addIpv6Addresses(EniAddress.newBuilder().setState("IN_USE"))
                .build();

        assertThat(EniMap.grid(eni, LOOK, 80)).containsExactly("  IPv4  P .", "  IPv6  U");
    }

    @Test
    void anAddressThatThePoolDoesNotKnowAndAStateThatTheShellDoesNotKnowAreShownAsUnknown() {
        assertThat(EniMap.grid(eni(3, "", "TELEPORTED").build(), LOOK, 80)).containsExactly("  IPv4  P ? ?");
    }

    @Test
    void moreAddressesThanTheLimitAreAllShown() {
        assertThat(EniMap.grid(eni(1, "IDLE", "IDLE").build(), LOOK, 80)).containsExactly("  IPv4  P I I");
    }
}
