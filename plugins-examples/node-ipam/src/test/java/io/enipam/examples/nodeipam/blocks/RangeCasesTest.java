package io.enipam.examples.nodeipam.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases of the acceptance table, part A: a range of blocks by itself, which Kubernetes calls a CIDR set. */
class RangeCasesTest {
    private static BlockRange range(String cidr, int blockLength) {
        return new BlockRange(Subnet.parse(cidr), blockLength);
    }

    private static String next(BlockRange range) {
        return range.takeNext().map(taken -> taken.block().toString()).orElse("none");
    }

    private static void occupy(BlockRange range, String... cidrs) {
        for (String cidr : cidrs) {
            range.occupy(Subnet.parse(cidr));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.123.234.0/30", "beef:1234::/30"})
    void a1ABlockThatIsTheWholeRangeIsGivenOnceAndAgainAfterItIsFree(String cidr) {
        BlockRange range = range(cidr, 30);
        assertThat(next(range)).isEqualTo(Subnet.parse(cidr).network().toString());
        assertThat(next(range)).isEqualTo("none");
        range.release(Subnet.parse(cidr).network());
        assertThat(next(range)).isEqualTo(Subnet.parse(cidr).network().toString());
        assertThat(next(range)).isEqualTo("none");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "a2, 127.123.3.0/16, 24, 0, 127.123.0.0/24",
        "a2, 127.123.0.0/16, 24, 15, 127.123.15.0/24",
        "a2, 192.168.5.219/28, 32, 5, 192.168.5.213/32",
        "a4, 2001:db8:85a3::8a2e:370:7334/50, 63, 6425, 2001:db8:85a3:3232::/63",
        "a5, 2001:db8::/32, 48, 0, 2001:db8::/48",
        "a5, 2001:db8::/32, 48, 15, 2001:db8:f::/48",
        "a5, 2001:db8::/32, 48, 6425, 2001:db8:1919::/48",
        "a7, 2001:db8:1234:0:1234::/80, 96, 0, 2001:db8:1234:0:1234::/96",
        "a7, 2001:db8:1234:0:1234::/80, 96, 15, 2001:db8:1234:0:1234:f::/96",
        "a7, 2001:db8:1234:ff00::370:7334/80, 96, 6425, 2001:db8:1234:ff00:0:1919::/96"
    })
    void a2AndA4AndA5AndA7TheBlockOfAnIndex(String row, String cidr, int length, int index, String block) {
        assertThat(range(cidr, length).block(index)).as(row).isEqualTo(Subnet.parse(block));
    }

    @ParameterizedTest
    @CsvSource({"127.123.0.0/16, 24", "beef:1234::/16, 24"})
    void a8AllBlocksAreGivenOnceAndInTheSameOrderAfterAllAreFree(String cidr, int length) {
        BlockRange range = range(cidr, length);
        List<String> first = all(range);
        assertThat(first).hasSize(256).doesNotHaveDuplicates();
        first.forEach(block -> range.release(Subnet.parse(block)));
        assertThat(all(range)).isEqualTo(first);
    }

    private static List<String> all(BlockRange range) {
        List<String> all = new ArrayList<>();
        for (String block = next(range); !block.equals("none"); block = next(range)) {
            all.add(block);
        }
        return all;
    }

    @Test
    void a10OccupyingAndReleasingTwiceCountsOnce() {
        BlockRange range = range("10.42.0.0/16", 24);
        List<Integer> counts = new ArrayList<>();
        for (String step : "+5.0/24 +9.0/24 +8.0/22 +9.0/24 -9.0/24 -9.0/24 -4.0/22".split(" ")) {
            Subnet cidr = Subnet.parse("10.42." + step.substring(1));
            int changed = step.charAt(0) == '+' ? range.occupy(cidr) : range.release(cidr);
            assertThat(changed).isBetween(0, 4);
            counts.add(range.taken());
        }
        assertThat(counts).containsExactly(1, 2, 5, 5, 4, 4, 3);
        assertThat(all(range)).hasSize(253);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 16, 127.123.0.0, 123",
        "127.0.0.0/8, 16, 127.168.0.0, 168",
        "127.0.0.0/8, 16, 127.224.0.0, 224",
        "be00::/8, 16, beef::, 239",
        "be00::/8, 16, be68::, 104",
        "be00::/8, 16, be24::, 36",
        "192.168.0.0/16, 24, 192.168.12.0, 12",
        "192.168.0.0/16, 24, 192.168.151.0, 151",
        "beef::/16, 24, beef:1200::, 18",
        "beef::/16, 24, beef:9700::, 151"
    })
    void a11TheIndexOfABlock(String cidr, int length, String ip, int index) {
        assertThat(range(cidr, length).index(Ip.parse(ip))).isEqualTo(index);
    }

    @ParameterizedTest
    @CsvSource({"192.168.0.0/16, 127.168.224.0", "beef::/16, 2001:db00::"})
    void a11ABlockOfAnotherRangeHasNoIndex(String cidr, String ip) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> range(cidr, 24).index(Ip.parse(ip)))
                .withMessage("CIDR: " + ip + "/24 is out of the range of CIDR allocator");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 16, 127.0.0.0/16, 0, 0",
        "127.0.0.0/8, 32, 127.0.0.0/16, 0, 65535",
        "127.0.0.0/7, 16, 127.0.0.0/15, 256, 257",
        "127.0.0.0/7, 15, 127.0.0.0/15, 128, 128",
        "127.0.0.0/7, 18, 127.0.0.0/15, 1024, 1031",
        "2001:beef:7f00::/39, 48, 2001:beef:7f00::/47, 256, 257",
        "2001:beef:7f00::/39, 47, 2001:beef:7f00::/47, 128, 128",
        "2001:beef:7f00::/39, 50, 2001:beef:7f00::/47, 1024, 1031"
    })
    void a13WhatIsOccupiedOfLargerAndSmallerSubnets(String cidr, int length, String occupied, int first, int last) {
        BlockRange range = range(cidr, length);
        occupy(range, occupied);
        assertThat(range.taken()).isEqualTo(last - first + 1);
        assertThat(range.taken(first, last + 1)).isEqualTo(last - first + 1);
    }

    @Test
    void a14IPv6RangesHave65536BlocksAtMost() {
        BlockRange four = range("127.0.0.0/8", 32);
        assertThat(List.of(next(four), next(four))).containsExactly("127.0.0.0/32", "127.0.0.1/32");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> range("beef:1234::/32", 49))
                .withMessage("New CIDR set failed; the node CIDR size is too big");
        BlockRange six = range("2001:beef:1234:369b::/60", 64);
        assertThat(List.of(next(six), next(six)))
                .containsExactly("2001:beef:1234:3690::/64", "2001:beef:1234:3691::/64");
    }

    @Test
    void a16ItIsToldHowManyTakenBlocksWerePassedOver() {
        BlockRange range = range("10.0.0.0/16", 24);
        occupy(range, "10.0.0.0/17");
        assertThat(range.taken()).isEqualTo(128);
        assertThat(range.takeNext())
                .hasValueSatisfying(taken -> assertThat(taken.passed()).isEqualTo(128));
        assertThat(range.taken()).isEqualTo(129);
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.0/16, 24, 256", "2001:beef::/48, 64, 65536"})
    void a17AWholeRangeIsOccupiedAndReleased(String cidr, int length, int blocks) {
        BlockRange range = range(cidr, length);
        assertThat(range.occupy(Subnet.parse(cidr))).isEqualTo(blocks);
        assertThat(range.release(Subnet.parse(cidr))).isEqualTo(blocks);
        assertThat(range.taken()).isZero();
    }

    @Test
    void a19ReleasingAPartOfABlockFreesTheBlock() {
        BlockRange range = range("10.0.0.0/16", 24);
        occupy(range, "10.0.1.0/24");
        range.release(Subnet.parse("10.0.1.0/25"));
        assertThat(range.taken()).isZero();
    }

    /** The third text of this row, of a subnet that is null, cannot come: what can be null says so. */
    @ParameterizedTest
    @ValueSource(strings = {"10.235.0.0/24", "fd00::/64"})
    void a20WhatIsOutsideOfTheRangeIsRefused(String other) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> occupy(range("10.234.0.0/16", 24), other))
                .withMessage("cidr " + other + " is out the range of cluster cidr 10.234.0.0/16");
    }

    @Test
    void a22BlocksLargerThanTheRangeAreRefusedWhenItIsMade() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> range("10.0.0.0/24", 16))
                .withMessage("blocks of /16 are larger than 10.0.0.0/24");
    }

    @Test
    void a23BlocksFollowEachOtherAcrossTheBitsOfAWord() {
        BlockRange small = range("fd00:1::/112", 120);
        assertThat(List.of(next(small), next(small), next(small)))
                .containsExactly("fd00:1::/120", "fd00:1::100/120", "fd00:1::200/120");
        BlockRange large = range("2001:db8:1234:ff00::/56", 72);
        assertThat(IntStream.of(255, 256).mapToObj(large::block))
                .containsExactly(Subnet.parse("2001:db8:1234:ff00:ff00::/72"), Subnet.parse("2001:db8:1234:ff01::/72"));
    }

    @Test
    void rangesOfAMillionBlocksNeedLittleMemory() {
        BlockRange large = range("10.0.0.0/8", 28);
        assertThat(large.size()).isEqualTo(1_048_576);
        occupy(large, "10.0.0.0/9", "10.128.0.0/10");
        assertThat(next(large)).isEqualTo("10.192.0.0/28");
        assertThat(range("fd00::/64", 80).size()).isEqualTo(65_536);
        assertThat(range("10.0.0.0/8", 32).size()).isEqualTo(16_777_216);
    }
}
