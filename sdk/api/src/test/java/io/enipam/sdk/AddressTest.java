package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {
    @Test
    void readsAddressAndPrefixLength() {
        Address address = Address.parse("10.0.1.7/24");

        assertThat(address.host()).isEqualTo("10.0.1.7");
        assertThat(address.prefixLength()).isEqualTo(24);
        assertThat(address.family()).isEqualTo(Family.IPV4);
        assertThat(address).hasToString("10.0.1.7/24").isEqualTo(Address.parse("10.0.1.7/24"));
    }

    @Test
    void anAddressAloneIsAHost() {
        assertThat(Address.parse("10.0.1.7").prefixLength()).isEqualTo(32);
        assertThat(Address.parse("2001:db8::1").prefixLength()).isEqualTo(128);
        assertThat(Address.parse("2001:db8::1").family()).isEqualTo(Family.IPV6);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0",
                "10.0.0.256",
                "10.0.0.1/33",
                "10.0.0.1/-1",
                "10.0.0.1/x",
                "10.0.0.1/",
                "/24",
                "localhost",
                "abc.de",
                "::1::2",
                "2001:db8::1/129",
                "0x0a.0.0.1",
                "1.2.3.4.5",
                "dead.beef",
                "[::1]",
                "fe80::1%eth0"
            })
    void refusesWhatIsNoLiteralWithoutAskingDns(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Address.parse(text));
    }
}
