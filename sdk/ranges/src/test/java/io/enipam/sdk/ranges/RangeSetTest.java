package io.enipam.sdk.ranges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RangeSetTest {
    private static Optional<Ip> ip(String text) {
        return Optional.of(text).filter(known -> !known.isEmpty()).map(Ip::parse);
    }

    /** SUBNET[,START[,END[,GATEWAY]]] */
    private static IpRange range(String text) {
        String[] parts = (text + ",,,").split(",", -1);
        return IpRange.of(Optional.of(parts[0]).map(Subnet::parse), ip(parts[1]), ip(parts[2]), ip(parts[3]));
    }

    private static RangeSet set(String... ranges) {
        return new RangeSet(Stream.of(ranges).map(RangeSetTest::range).toList());
    }

    /** Takes addresses until there is none. */
    private static List<String> all(RangeSet set, String last, IpIntervals used) {
        List<String> given = new ArrayList<>();
        Optional<Ip> next = set.next(ip(last), used);
        while (next.isPresent()) {
            given.add(next.get().toString());
            used.add(next.get());
            next = set.next(next, used);
        }
        return given;
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24, 192.0.2.1-192.0.2.254, 192.0.2.1, 253",
        "192.0.2.0/25, 192.0.2.1-192.0.2.126, 192.0.2.1, 125",
        "192.0.2.0/30, 192.0.2.1-192.0.2.2, 192.0.2.1, 1",
        "2001:DB8:1::/64, 2001:db8:1::1-2001:db8:1:0:ffff:ffff:ffff:ffff, 2001:db8:1::1, 18446744073709551614",
        "'10.0.0.0/24,10.0.0.40,10.0.0.50,192.168.0.1', 10.0.0.40-10.0.0.50, 192.168.0.1, 11",
    })
    void whatARangeDoesNotSayFollowsFromItsSubnet(String text, String addresses, String gateway, String size) {
        IpRange range = range(text);
        assertThat(range).hasToString(addresses);
        assertThat(range.gateway()).hasToString(gateway);
        assertThat(range.size()).hasToString(size);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.0/31 | Network 10.0.0.0/31 too small to allocate from",
                "2001:db8::/127 | Network 2001:db8::/127 too small to allocate from",
                "10.0.0.7/24 | Network has host bits set. For a subnet mask of length 24 the network address is"
                        + " 10.0.0.0",
                "10.0.0.0/24,10.0.1.1 | RangeStart 10.0.1.1 not in network 10.0.0.0/24",
                "10.0.0.0/24,10.0.0.9,10.0.0.8 | RangeStart 10.0.0.9 not in network 10.0.0.0/24",
                "10.0.0.0/24,,10.0.1.1 | RangeEnd 10.0.1.1 not in network 10.0.0.0/24",
                "10.0.0.0/24,fd00::1 | RangeStart fd00::1 not in network 10.0.0.0/24",
            })
    void aRangeThatCannotBeIsRefusedInHostLocalsWords(String text, String why) {
        assertThatThrownBy(() -> range(text)).hasMessage(why);
        assertThatThrownBy(() -> IpRange.of(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()))
                .hasMessage("IP <nil> not v4 nor v6");
    }

    @Test
    void aSetThatCannotBeIsRefusedInHostLocalsWords() {
        assertThatThrownBy(() -> set()).hasMessage("empty range set");
        assertThatThrownBy(() -> set("10.0.0.0/24", "fd00::/64")).hasMessage("mixed address families");
        assertThatThrownBy(() -> set("10.1.0.0/22", "10.1.2.0/24"))
                .hasMessage("subnets 10.1.0.1-10.1.3.254 and 10.1.2.1-10.1.2.254 overlap");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.0/24 | 10.0.1.0/24 | false",
                "10.0.0.0/24 | fd00::/64 | false",
                "10.0.0.0/24 | 10.0.0.0/24 | true",
                "10.0.0.0/22 | 10.0.1.0/24 | true",
                "10.0.0.0/24,,10.0.0.127 | 10.0.0.0/24,10.0.0.128 | false",
                "10.0.0.0/24,,10.0.0.127 | 10.0.0.0/24,10.0.0.127 | true",
            })
    void onlyTheAddressesOfTwoRangesCanOverlap(String one, String other, boolean overlap) {
        assertThat(range(one).overlaps(range(other))).isEqualTo(overlap);
        assertThat(set(other).overlaps(set(one))).isEqualTo(overlap);
    }

    @ParameterizedTest
    @CsvSource({
        "'10.0.0.0/24,10.0.0.40,10.0.0.50', 10.0.0.39, false",
        "'10.0.0.0/24,10.0.0.40,10.0.0.50', 10.0.0.40, true",
        "'10.0.0.0/24,10.0.0.40,10.0.0.50', 10.0.0.50, true",
        "'10.0.0.0/24,10.0.0.40,10.0.0.50', 10.0.0.51, false",
        "'fd00::/64,fd00::40,fd00::50', fd00::3f, false",
        "'fd00::/64,fd00::40,fd00::50', fd00::40, true",
        "'fd00::/64,fd00::40,fd00::50', fd00::50, true",
        "'fd00::/64,fd00::40,fd00::50', fd00::51, false",
        "'fd00::/64,fd00::40,fd00::50', 10.0.0.45, false",
    })
    void anAddressIsOfARangeFromItsStartToItsEnd(String range, String address, boolean contained) {
        assertThat(range(range).contains(Ip.parse(address))).isEqualTo(contained);
        assertThat(set(range).contains(Ip.parse(address))).isEqualTo(contained);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 2 3 4 5 6",
        "192.168.1.6, 2 3 4 5 6",
        "192.168.1.3, 4 5 6 2 3",
        "192.168.1.1, 2 3 4 5 6",
        "10.0.0.1, 2 3 4 5 6",
    })
    void theSearchGoesOnBehindTheLastAddressAndEndsWithIt(String last, String expected) {
        assertThat(all(set("192.168.1.0/29"), last, new IpIntervals()))
                .containsExactly(Stream.of(expected.split(" "))
                        .map(end -> "192.168.1." + end)
                        .toArray(String[]::new));
    }

    @Test
    void aSetsRangesAreUsedOneAfterTheOtherAndTheFirstComesAfterTheLast() {
        RangeSet set = set("10.0.0.0/30", "10.0.1.0/30", "10.0.2.0/30");
        assertThat(all(set, "", new IpIntervals())).containsExactly("10.0.0.2", "10.0.1.2", "10.0.2.2");
        assertThat(all(set, "10.0.0.2", new IpIntervals())).containsExactly("10.0.1.2", "10.0.2.2", "10.0.0.2");
        assertThat(all(set, "10.0.2.2", new IpIntervals())).containsExactly("10.0.0.2", "10.0.1.2", "10.0.2.2");
    }

    @Test
    void aGatewayInTheMiddleIsLeftOut() {
        assertThat(all(set("10.1.2.0/24,10.1.2.9,10.1.2.11,10.1.2.10"), "", new IpIntervals()))
                .containsExactly("10.1.2.9", "10.1.2.11");
    }

    /** Host-local's own iteration, which looks at one address after the other. */
    private static Optional<Ip> walked(RangeSet set, Optional<Ip> last, IpIntervals used) {
        List<Ip> order = new ArrayList<>();
        for (IpRange range : set.ranges()) {
            for (Ip ip = range.start();
                    ip.compareTo(range.end()) <= 0;
                    ip = ip.plus(1).orElseThrow()) {
                order.add(ip);
            }
        }
        int first = last.map(ip -> order.indexOf(ip) + 1).orElse(0);
        for (int i = 0; i < order.size(); i++) {
            Ip ip = order.get((first + i) % order.size());
            if (!used.contains(ip) && !set.rangeOf(ip).orElseThrow().gateway().equals(ip)) {
                return Optional.of(ip);
            }
        }
        return Optional.empty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theSearchFindsWhatAWalkOfTheRangeFinds(long seed) {
        Random random = new Random(seed);
        RangeSet set = set(
                "10.0.0.0/27,,,10.0.0." + (1 + random.nextInt(30)),
                "10.0.1.0/28,10.0.1.3",
                "10.0.0.0/24,10.0.0.200,10.0.0.201");
        IpIntervals used = new IpIntervals();
        Optional<Ip> last = Optional.empty();
        for (int step = 0; step < 1_000; step++) {
            Optional<Ip> next = set.next(last, used);
            assertThat(next).isEqualTo(walked(set, last, used));
            if (next.isPresent() && random.nextInt(100) < 70) {
                used.add(next.get());
                last = next;
            } else {
                IpRange range = set.ranges().get(random.nextInt(3));
                used.remove(range.start().plus(random.nextInt(30)).orElseThrow());
            }
        }
    }

    @Test
    void aFullRangeCostsWhatAnEmptyOneCosts() {
        RangeSet set = set("10.9.0.0/16");
        IpIntervals used = new IpIntervals();
        used.add(Ip.parse("10.9.0.1"), Ip.parse("10.9.255.254"));
        used.remove(Ip.parse("10.9.200.7"));
        // a walk would look at 65,000 addresses each time
        for (int i = 0; i < 100_000; i++) {
            assertThat(set.next(ip("10.9.200.7"), used)).contains(Ip.parse("10.9.200.7"));
        }
    }
}
