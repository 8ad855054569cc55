package io.enipam.examples.swarm.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.pools.DefaultPools.Base;
import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class DefaultPoolsTest {
    private static Base base(String network, int length) {
        return new Base(Subnet.parse(network), length);
    }

    /** Beside a search that looks at each pool. */
    @RepeatedTest(200)
    void theNextOneIsTheFirstFreeOneBehindTheLast(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        DefaultPools pools = new DefaultPools(List.of(
                base("10.0.0.0/26", 28), base("10.1.0.0/27", 27), base("fd00::/126", 127), base("10.2.0.0/24", 29)));
        List<Subnet> all = pools.bases().stream()
                .flatMap(base -> IntStream.range(
                                0, 1 << base.length() - base.network().length())
                        .mapToObj(index -> base.network().part(base.length(), index)))
                .toList();
        IpIntervals used = new IpIntervals();
        all.stream().filter(pool -> random.nextInt(4) > 0).forEach(pool -> {
            if (random.nextBoolean()) {
                used.add(pool.first(), pool.last());
            } else {
                used.add(random.nextBoolean() ? pool.first() : pool.last());
            }
        });
        Optional<Subnet> last = switch (random.nextInt(6)) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(Subnet.parse("172.16.0.0/28"));
            default -> Optional.of(all.get(random.nextInt(all.size())));
        };
        int behind = last.map(all::indexOf).orElse(-1) + 1;
        Optional<Subnet> expected = Stream.concat(
                        all.stream().skip(behind), all.stream().limit(behind))
                .filter(pool -> used.size(pool.first(), pool.last()).signum() == 0)
                .findFirst();
        assertThat(pools.next(used, last)).isEqualTo(expected);
    }

    @Test
    void thoseOfAFamilyAreInTheirOrder() {
        DefaultPools pools = new DefaultPools(List.of(base("fd00::/62", 64), base("10.0.0.0/23", 24)));
        assertThat(pools.of(Family.IPV4).next(new IpIntervals(), Optional.empty()))
                .contains(Subnet.parse("10.0.0.0/24"));
        assertThat(pools.of(Family.IPV6).next(new IpIntervals(), Optional.of(Subnet.parse("fd00:0:0:3::/64"))))
                .contains(Subnet.parse("fd00::/64"));
    }

    @Test
    void subnetsThatDoNotFitAreRefused() {
        for (int length : List.of(0, 7, 33)) {
            assertThatThrownBy(() -> base("10.0.0.0/8", length))
                    .isInstanceOf(Refused.class)
                    .hasMessage("invalid pools size: " + length);
        }
    }
}
