package io.enipam.examples.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.cidr.AddressPlan.CidrSettings;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPlanTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/29, 10.0.0.2|10.0.0.3|10.0.0.4|10.0.0.5|10.0.0.6",
        "10.0.0.0/30, 10.0.0.2",
        "10.0.0.0/31, 10.0.0.0|10.0.0.1",
        "10.0.0.9/32, 10.0.0.9",
        "10.0.0.4-10.0.0.6, 10.0.0.4|10.0.0.5|10.0.0.6",
        "10.0.0.0-10.0.0.2/24, 10.0.0.2",
        "10.0.0.254-10.0.0.255/24, 10.0.0.254",
        "fd00::/126, fd00::2|fd00::3",
        "fd00::/127, fd00::|fd00::1",
        "fd00::fffe-fd00::1:0, fd00::fffe|fd00::ffff|fd00::1:0",
    })
    void aRangeGivesItsHostsButNotItsGateway(String range, String expected) {
        assertThat(String.join("|", given(plan(Map.of("ranges", List.of(range))))))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/24, 10.0.0.1",
        "10.0.0.128/25, 10.0.0.129",
        "10.0.0.10-10.0.0.20/24, 10.0.0.1",
        "fd00::/64, fd00::1",
        "10.0.0.10-10.0.0.20, none",
        "10.0.0.0/31, none",
        "10.0.0.0/32, none",
        "fd00::/127, none",
    })
    void theUsualGatewayIsTheFirstUsableAddressOfTheSubnet(String range, String gateway) {
        assertThat(plan(Map.of("ranges", List.of(range)))
                        .ranges()
                        .get(0)
                        .gateway()
                        .map(Ip::toString)
                        .orElse("none"))
                .isEqualTo(gateway);
    }

    @Test
    void aNamedGatewayIsUsedInsteadOfTheUsualOneWhichIsThenGiven() {
        AddressPlan plan = plan(Map.of("ranges", List.of("10.0.0.0/29"), "gateways", List.of("10.0.0.6")));
        assertThat(given(plan)).containsExactly("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5");
    }

    @Test
    void oneGatewayServesAllRangesOfItsSubnetAndIsGivenByNone() {
        AddressPlan plan = plan(Map.of(
                "ranges", List.of("10.0.0.2-10.0.0.4/24", "10.0.0.7-10.0.0.9/24"), "gateways", List.of("10.0.0.8")));
        assertThat(plan.ranges())
                .allSatisfy(r -> assertThat(r.gateway().map(Ip::toString)).contains("10.0.0.8"));
        assertThat(given(plan)).containsExactly("10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.7", "10.0.0.9");
    }

    @Test
    void exclusionsAreAddressesRangesOrCidrs() {
        AddressPlan plan = plan(Map.of(
                "ranges", List.of("10.0.0.0/28", "fd00::/125"),
                "exclude", List.of("10.0.0.2", "10.0.0.4-10.0.0.6", "10.0.0.8/29", "192.0.2.1", "fd00::2-fd00::6")));
        assertThat(given(plan)).containsExactly("10.0.0.3", "10.0.0.7", "fd00::7");
    }

    @Test
    void overlappingRangesAreRefusedByBothNames() {
        assertThat(problem("10.0.0.0/16", "fd00::/64", "10.0.255.250-10.1.0.3"))
                .isEqualTo("ranges: 10.0.0.0/16 and 10.0.255.250-10.1.0.3 overlap");
        assertThat(problem("fd00::/64", "fd00::1:0-fd00::1:5")).contains("fd00::/64 and fd00::1:0-fd00::1:5 overlap");
        assertThat(problem("10.0.0.0/24", "10.0.0.0/24")).contains("overlap");
    }

    @Test
    void neighboursDoNotOverlap() {
        assertThat(plan(Map.of("ranges", List.of("10.0.1.0/24", "10.0.0.0/24", "10.0.2.0-10.0.2.9")))
                        .ranges())
                .hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.5/24, is an address within a subnet; the subnet is 10.0.0.0/24",
        "10.0.0.0/33, longer than 32 bits",
        "fd00::/129, longer than 128 bits",
        "10.0.0.9-10.0.0.3, ends before it begins",
        "10.0.0.9-fd00::1, ends in the other",
        "10.0.0.9-10.0.1.3/24, reaches beyond its subnet 10.0.0.0/24",
        "10.0.0, is not an IP address",
        "10.0.0.256/32, is not an IP address",
        "010.0.0.1/32, is not an IP address",
        "1:2:3/64, is not an IP address",
        "::ffff:10.0.0.0/120, is not an IP address",
        "::ffff:a00:0/120, IPv4 in IPv6",
        "0.0.0.0/0, limited broadcast",
        "127.0.0.0/24, loopback",
        "224.0.0.0/24, multicast",
        "ff02::/64, multicast",
        "::/0, multicast",
        "::1/128, loopback",
    })
    void whatCannotBeARangeIsRefusedWithTheReason(String range, String reason) {
        assertThat(problem(range)).contains(reason);
    }

    @Test
    void everyProblemIsToldAtOnce() {
        assertThatThrownBy(() -> plan(Map.of(
                        "ranges", List.of("10.0.0.0/24", "10.0.0.7/24", "10.0.0.9-10.0.0.8"),
                        "gateways", List.of("10.0.0.0", "10.0.0.3", "192.0.2.1"),
                        "exclude", List.of("10.0.0.1/8"))))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                .hasMessageContainingAll(
                        "ranges: '10.0.0.7/24'",
                        "ranges: '10.0.0.9-10.0.0.8'",
                        "gateways: 192.0.2.1 is of none of the ranges",
                        "gateways: 10.0.0.0 and 10.0.0.3 are both of 10.0.0.0/24",
                        "gateways: 10.0.0.0 is no host's address in 10.0.0.0/24",
                        "exclude: '10.0.0.1/8'");
    }

    @Test
    void withoutARangeThereIsNothingToGive() {
        assertThatThrownBy(() -> plan(Map.of())).hasMessageContaining("ranges: there must be one");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.0/24; rm -rf", "*", "10.*.0.0", "10.0.0.0/255.255.255.0", "fe80::1%eth0", "", "a b"})
    void textOfAnotherShapeDoesNotPassTheSchema(String text) {
        assertThatThrownBy(() -> Settings.of(CidrSettings.ALL, Map.of("ranges", List.of(text))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ranges");
    }

    @Test
    void aHugeRangeCostsNothing() {
        AddressPlan plan = plan(Map.of("ranges", List.of("2001:db8::/32", "10.0.0.0/8")));
        assertThat(plan.grantableIn(plan.ranges().get(0)).bitLength()).isEqualTo(96);
        assertThat(plan.grantableIn(plan.ranges().get(1))).isEqualTo((1 << 24) - 3);
    }

    private static String problem(String... ranges) {
        try {
            plan(Map.of("ranges", List.of(ranges)));
        } catch (FactoryException e) {
            return e.getMessage();
        }
        throw new AssertionError("no problem with " + List.of(ranges));
    }

    private static AddressPlan plan(Map<String, List<String>> values) {
        return AddressPlan.of(Settings.of(CidrSettings.ALL, values));
    }

    private static List<String> given(AddressPlan plan) {
        List<String> all = new ArrayList<>();
        for (IpIntervals addresses : plan.grantable().values()) {
            for (Optional<Ip> ip = addresses.lowest(); ip.isPresent(); ip = addresses.higher(ip.get())) {
                all.add(ip.get().toString());
            }
        }
        return all;
    }
}
