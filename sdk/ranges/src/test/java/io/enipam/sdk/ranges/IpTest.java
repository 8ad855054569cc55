package io.enipam.sdk.ranges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.Address;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "255.255.255.255, 255.255.255.255",
        "2001:0DB8::00AB, 2001:db8::ab",
        "::, ::",
        "::1, ::1",
        "fe80::, fe80::",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "1:0:0:4:0:0:0:8, 1:0:0:4::8",
        "::ffff:a00:1, ::ffff:a00:1",
        "64:ff9b::10.0.0.1, 64:ff9b::a00:1",
    })
    void anAddressHasOneText(String written, String canonical) {
        assertThat(Ip.parse(written)).hasToString(canonical);
        assertThat(Ip.of(Ip.parse(written).inet())).isEqualTo(Ip.parse(written));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "foo",
                "10.0.0",
                "10.0.0.256",
                "010.0.0.1",
                "10.0.0.1 ",
                "1:2:3",
                "1::2::3",
                ":::",
                ":1:2:3:4:5:6:7:8",
                "1:",
                "fe80::1%eth0",
                "12345::",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7::8:9",
                "10.0.0.1::",
                "::10.0.0.300",
                "::g"
            })
    void anythingElseIsNone(String text) {
        assertThatThrownBy(() -> Ip.parse(text)).hasMessage("invalid IP address: " + text);
    }

    @Test
    void anIpv4MappedAddressStandsForTheIpv4Address() {
        assertThat(Ip.parse("::ffff:10.1.2.3").unmapped()).isEqualTo(Ip.parse("10.1.2.3"));
        assertThat(Ip.parse("::10.1.2.3").unmapped()).isEqualTo(Ip.parse("::a01:203"));
        assertThat(Ip.of(Address.literal("10.1.2.3"))).isEqualTo(Ip.parse("10.1.2.3"));
    }

    @Test
    void nothingLiesBehindAFamilysHighestAddressAndBeforeItsLowest() {
        assertThat(Ip.parse("255.255.255.255").plus(1)).isEmpty();
        assertThat(Ip.parse("::").plus(-1)).isEmpty();
        assertThat(Ip.parse("10.0.0.255").plus(1)).contains(Ip.parse("10.0.1.0"));
        assertThat(Ip.parse("255.255.255.255")).isLessThan(Ip.parse("::"));
    }

    @Test
    void aSubnetIsReadWithItsHostBits() {
        Subnet subnet = Subnet.parse("10.1.2.7/24");
        assertThat(subnet).hasToString("10.1.2.7/24");
        assertThat(subnet.network()).hasToString("10.1.2.0/24");
        assertThat(subnet.last()).hasToString("10.1.2.255");
        for (String text :
                new String[] {"foo", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "::/129", "1/2/3"}) {
            assertThatThrownBy(() -> Subnet.parse(text)).hasMessageEndingWith(text);
        }
    }
}
