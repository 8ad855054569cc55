package io.enipam.examples.nodeipam.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.ranges.Subnet;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much a cluster CIDR holds, and until when. */
class PlanTest {
    private static final Instant NOW = Instant.parse("2026-06-30T00:00:00Z");

    private static List<String> row(String cidr, int length, int now, int wanted, Growth growth, String... services) {
        CapacityPlan plan = CapacityPlan.of(
                Subnet.parse(cidr),
                length,
                List.of(services).stream().map(Subnet::parse).toList());
        return CapacityPlan.table(List.of(plan), now, wanted, growth, NOW)
                .rows()
                .get(0);
    }

    @Test
    void aSixteenOfTwentyFoursIsFor256NodesOf256Pods() {
        assertThat(row("10.244.0.0/16", 24, 56, 0, new Growth(2)))
                .containsExactly("10.244.0.0/16", "/24", "256", "256", "65536", "0", "56", "2.0", "2026-10-08");
    }

    @Test
    void theBlocksOfServicesAreForNoNode() {
        assertThat(row("10.0.0.0/16", 24, 0, 0, new Growth(0), "10.0.0.0/20", "192.168.0.0/16", "fd00::/108"))
                .containsExactly("10.0.0.0/16", "/24", "240", "256", "61440", "16", "0", "0.0", "never");
    }

    @Test
    void largeNumbersOfIpv6ArePowers() {
        assertThat(row("fd00::/56", 64, 0, 0, new Growth(0)))
                .containsExactly("fd00::/56", "/64", "256", "2^64", "256*2^64", "0", "0", "0.0", "never");
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/16, 24, 256, yes, /16",
        "10.0.0.0/16, 24, 257, no, /15",
        "10.0.0.0/16, 24, 100, yes, /17",
        "10.0.0.0/16, 24, 1, yes, /24",
        "10.0.0.0/16, 8, 1, '', ''",
        "10.0.0.0/8, 28, 5000, yes, /15",
        "10.0.0.0/8, 8, 2, no, /7",
        "10.0.0.0/8, 8, 512, no, none"
    })
    void howManyNodesFitAndWhatTheyNeed(String cidr, int length, int wanted, String fits, String needed) {
        if (fits.isEmpty()) {
            assertThatThrownBy(() -> row(cidr, length, 0, wanted, new Growth(0)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("blocks of /8 are larger than 10.0.0.0/16");
            return;
        }
        List<String> row = row(cidr, length, 0, wanted, new Growth(0));
        assertThat(row.subList(row.size() - 2, row.size())).containsExactly(fits, needed);
    }

    @Test
    void aRangeForFewerNodesThanThereAreIsTooSmallAndOneForAsManyIsFull() {
        assertThat(row("10.0.0.0/24", 26, 5, 0, new Growth(1))).last().isEqualTo("too small");
        assertThat(row("10.0.0.0/24", 26, 4, 0, new Growth(1))).last().isEqualTo("now");
    }

    private static Instant before(int days) {
        return NOW.minus(Duration.ofDays(days));
    }

    @Test
    void growthIsWhatCameInThirtyDays() {
        List<Instant> created =
                IntStream.range(0, 90).mapToObj(PlanTest::before).toList();
        assertThat(Growth.of(created, NOW).perDay()).isEqualTo(1);
        assertThat(Growth.of(created.subList(30, 90), NOW)).isEqualTo(new Growth(0));
        assertThat(Growth.of(List.of(), NOW)).isEqualTo(new Growth(0));
    }

    @Test
    void aYoungClusterHasGrownSinceItsFirstNode() {
        assertThat(Growth.of(List.of(before(10), before(5), before(1)), NOW).perDay())
                .isEqualTo(0.2);
        assertThat(Growth.of(List.of(before(6), NOW, NOW), NOW))
                .as("what it was made with is no growth")
                .isEqualTo(new Growth(0));
        assertThat(Growth.of(List.of(before(10)), NOW)).isEqualTo(new Growth(0));
    }

    @Test
    void whatIsFullInAHundredYearsIsNeverFull() {
        assertThat(new Growth(0.5).full(10, NOW)).contains(LocalDate.parse("2026-07-20"));
        assertThat(new Growth(0.001).full(10_000_000, NOW)).isEmpty();
        assertThat(new Growth(0).full(10, NOW)).isEmpty();
        assertThat(new Growth(5).full(0, NOW)).contains(LocalDate.parse("2026-06-30"));
    }
}
