package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** RFC 5952, section 4: each address has one text, however it was written. */
    @ParameterizedTest
    @CsvSource({
        "2001:DB8:0:0:0:0:0:1, 2001:db8::1",
        "2001:0db8::0001, 2001:db8::1",
        "0:0:0:0:0:0:0:0, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "fe80:0:0:0:abc:def:1234:AAAA, fe80::abc:def:1234:aaaa",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:0:0, 1:2:3:4:5:6::",
        "::ffff:10.0.0.1, 10.0.0.1"
    })
    void oneAddressHasOneText(String written, String canonical) {
        assertThat(Address.parse(written).host()).isEqualTo(canonical);
        assertThat(Address.parse(canonical)).isEqualTo(Address.parse(written));
    }

    @Test
    void anAddressWithAPrefixLengthIsShownByTheSameText() {
        assertThat(Address.parse("2001:db8:0:0::5/64")).hasToString("2001:db8::5/64");
    }

    /** The text reads back as the same address, whatever bits it has. */
    @Test
    void everyTextReadsBack() {
        Random random = new Random(5952);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[16];
            random.nextBytes(bytes);
            for (int group = 0; group < 8; group++) {
                if (random.nextInt(3) > 0) {
                    bytes[2 * group] = 0;
                    bytes[2 * group + 1] = (byte) random.nextInt(2);
                }
            }
            bytes[0] = 0x20;
            Address address = new Address(addressOf(bytes), 64);
            assertThat(Address.parse(address.toString())).isEqualTo(address);
            assertThat(address.host()).doesNotContain(":::").matches("[0-9a-f:]{2,39}");
        }
    }

    private static InetAddress addressOf(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0/0",
                "0.1.2.3/8",
                "127.0.0.1/8",
                "127.9.9.9/32",
                "224.0.0.5/24",
                "239.255.255.250/32",
                "255.255.255.255/32",
                "255.255.255.255/0",
                "10.0.0.0/24",
                "10.0.0.255/24",
                "10.0.0.4/30",
                "10.0.0.7/30",
                "172.16.0.0/12",
                "::/0",
                "::1/128",
                "ff02::1/64",
                "2001:db8::/64"
            })
    void thereAreAddressesThatNoPodCanHave(String text) {
        assertThat(Address.parse(text).isAssignable()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1/24",
                "10.0.0.254/24",
                "10.0.1.0/16",
                "10.0.0.255/16",
                "10.0.0.0/31",
                "10.0.0.1/31",
                "10.0.0.0/32",
                "10.0.0.255/32",
                "240.0.0.1/24",
                "2001:db8::1/64",
                "2001:db8::/127",
                "2001:db8::/128",
                "2001:db8::ffff:ffff:ffff:ffff/64",
                "fd00::5/64"
            })
    void allOthersAPodCanHave(String text) {
        assertThat(Address.parse(text).isAssignable()).isTrue();
    }
}
