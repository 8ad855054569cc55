package io.enipam.examples.cidr;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreeSpaceTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void givesWhatAPlainSetOfAddressesWouldGive(long seed) {
        Random random = new Random(seed);
        boolean lowestFirst = random.nextBoolean();
        NavigableSet<Ip> model = new TreeSet<>();
        IpIntervals addresses = new IpIntervals();
        for (String block : List.of("10.0.0.0/27", "10.0.1.0-10.0.1.12", "10.9.0.255-10.9.1.1")) {
            Block parsed = Block.parse(block);
            addresses.add(parsed.first(), parsed.last());
            for (Ip ip = parsed.first();
                    ip.compareTo(parsed.last()) <= 0;
                    ip = ip.plus(1).orElseThrow()) {
                model.add(ip);
            }
        }
        FreeSpace space = new FreeSpace(addresses, lowestFirst, Optional.empty());
        List<Ip> taken = new ArrayList<>();
        Ip last = null;
        for (int step = 0; step < 2_000; step++) {
            Ip expected = null;
            if (!model.isEmpty()) {
                Ip higher = last == null || lowestFirst ? null : model.higher(last);
                expected = higher == null ? model.first() : higher;
            }
            assertThat(space.next()).isEqualTo(Optional.ofNullable(expected));
            assertThat(space.size()).isEqualTo(model.size());
            if (expected != null && random.nextInt(100) < 60) {
                space.take(expected);
                model.remove(expected);
                taken.add(expected);
                last = expected;
            } else if (!taken.isEmpty()) {
                Ip back = taken.remove(random.nextInt(taken.size()));
                space.giveBack(back);
                model.add(back);
            }
        }
    }

    @Test
    void aThousandOfASlash64AreAThousandStepsWhereverTheyLie() {
        IpIntervals addresses = new IpIntervals();
        addresses.add(Block.parse("fd00::/64").first(), Block.parse("fd00::/64").last());
        FreeSpace space = new FreeSpace(addresses, false, Optional.of(IpText.address("fd00::ffff:ffff:ffff:fff0")));
        List<String> given = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Ip next = space.next().orElseThrow();
            space.take(next);
            given.add(next.toString());
        }
        assertThat(given).doesNotHaveDuplicates().startsWith("fd00::ffff:ffff:ffff:fff1");
        // fifteen to the end, then round to the beginning
        assertThat(given.get(14)).isEqualTo("fd00::ffff:ffff:ffff:ffff");
        assertThat(given.get(15)).isEqualTo("fd00::");
        assertThat(space.size()).isEqualTo(BigInteger.ONE.shiftLeft(64).subtract(BigInteger.valueOf(1_000)));
    }
}
