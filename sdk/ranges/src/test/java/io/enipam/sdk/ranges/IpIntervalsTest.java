package io.enipam.sdk.ranges;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IpIntervalsTest {
    private static final Ip BASE = Ip.parse("10.0.0.0");

    private static Ip ip(int number) {
        return BASE.plus(number).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void itHoldsWhatAPlainSetOfAddressesHolds(long seed) {
        Random random = new Random(seed);
        IpIntervals intervals = new IpIntervals();
        TreeSet<Integer> model = new TreeSet<>();
        for (int step = 0; step < 3_000; step++) {
            int from = random.nextInt(200);
            int to = from + (random.nextBoolean() ? 0 : random.nextInt(20));
            boolean adds = random.nextBoolean();
            if (adds) {
                intervals.add(ip(from), ip(to));
            } else {
                intervals.remove(ip(from), ip(to));
            }
            for (int number = from; number <= to; number++) {
                if (adds) {
                    model.add(number);
                } else {
                    model.remove(number);
                }
            }
            int probe = random.nextInt(220);
            int end = probe + random.nextInt(40);
            assertThat(intervals.contains(ip(probe))).isEqualTo(model.contains(probe));
            assertThat(intervals.higher(ip(probe)))
                    .isEqualTo(Optional.ofNullable(model.higher(probe)).map(IpIntervalsTest::ip));
            assertThat(intervals.lowest()).isEqualTo(model.stream().findFirst().map(IpIntervalsTest::ip));
            assertThat(intervals.size()).isEqualTo(BigInteger.valueOf(model.size()));
            assertThat(intervals.size(ip(probe), ip(end)))
                    .isEqualTo(BigInteger.valueOf(
                            model.subSet(probe, true, end, true).size()));
            int gap = probe;
            while (gap <= end && model.contains(gap)) {
                gap++;
            }
            assertThat(intervals.firstGap(ip(probe), ip(end)))
                    .isEqualTo(gap > end ? Optional.empty() : Optional.of(ip(gap)));
        }
        assertThat(new IpIntervals(intervals)).hasToString(intervals.toString());
    }

    @Test
    void bothFamiliesLieInOneSetAndNeverTouch() {
        IpIntervals all = new IpIntervals();
        all.add(Ip.parse("255.255.255.255"));
        all.add(Ip.parse("::"), Ip.parse("::ffff"));
        assertThat(all).hasToString("255.255.255.255-255.255.255.255,::-::ffff");
        assertThat(all.firstGap(Ip.parse("255.255.255.255"), Ip.parse("255.255.255.255")))
                .isEmpty();
        all.remove(Ip.parse("::"), Ip.parse("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
        assertThat(all).hasToString("255.255.255.255-255.255.255.255");
    }
}
