package io.enipam.examples.swarm.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compared with models that are slow and simple. {@code -Denipam.swarm.seeds=N} is for a long run. */
class PoolsModelTest {
    static LongStream seeds() {
        return LongStream.rangeClosed(1, Integer.getInteger("enipam.swarm.seeds", 20));
    }

    /** A subnet's numbers one by one, in order, behind the last one that was found. */
    private static final class Model {
        final int size;
        final TreeSet<Integer> taken = new TreeSet<>();
        int next;

        Model(int size) {
            this.size = size;
        }

        int takeNext(int from, int to) {
            int start = next >= from && next < to ? next : from;
            for (int step = 0; step < to - from; step++) {
                int at = from + (start - from + step) % (to - from);
                if (taken.add(at)) {
                    next = at + 1;
                    return at;
                }
            }
            return -1;
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void addressesOfASubnetAndItsRangesAreGivenInTurn(long seed) {
        Random random = new Random(seed);
        int hostBits = random.nextInt(9);
        boolean six = random.nextBoolean();
        // of a /64 what is taken is kept as intervals: the same numbers, in a range of it
        Subnet range = new Subnet(Ip.parse(six ? "fd00::" : "10.9.0.0"), (six ? 128 : 32) - hostBits);
        boolean wide = six && random.nextBoolean();
        Subnet subnet = wide ? new Subnet(range.address(), 64) : range;
        AddressSpace space = new AddressSpace(List.of("10.0.0.0/8"), 24);
        AddressPool pool = space.request(subnet.toString(), wide ? range.toString() : "", Map.of());
        Model model = new Model(1 << hostBits);
        if (wide || hostBits > 1) {
            model.taken.add(0);
            if (!six) {
                model.taken.add(model.size - 1);
            }
        }
        TreeSet<Integer> reserved = new TreeSet<>(model.taken);
        for (int step = 0; step < 2_000; step++) {
            int number = random.nextInt(model.size);
            Ip address = range.address().plus(number).orElseThrow();
            switch (random.nextInt(step / 200 % 2 == 0 ? 4 : 2)) {
                case 0 -> {
                    pool.release(address);
                    if (!reserved.contains(number)) {
                        model.taken.remove(number);
                    }
                }
                case 1 -> {
                    if (model.taken.add(number)) {
                        pool.take(address);
                    } else {
                        assertThatThrownBy(() -> pool.take(address)).hasMessage("Address already in use");
                    }
                }
                default -> {
                    int expected = model.takeNext(0, model.size);
                    assertThat(pool.takeNext())
                            .isEqualTo(
                                    expected < 0
                                            ? Optional.empty()
                                            : range.address().plus(expected));
                }
            }
            assertThat(pool.free()).isEqualTo(BigInteger.valueOf(model.size - model.taken.size()));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void numbersAreGivenInTurn(long seed) {
        Random random = new Random(seed);
        int first = random.nextInt(10);
        Model model = new Model(1 + random.nextInt(200));
        NumberPool pool = new NumberPool(first, first + model.size - 1);
        for (int step = 0; step < 2_000; step++) {
            int number = random.nextInt(model.size);
            switch (random.nextInt(4)) {
                case 0 -> {
                    pool.release(first + number);
                    model.taken.remove(number);
                }
                case 1 -> {
                    if (model.taken.add(number)) {
                        pool.take(first + number);
                    } else {
                        assertThatThrownBy(() -> pool.take(first + number))
                                .hasMessage("requested bit is already allocated");
                    }
                }
                default -> {
                    int expected = model.takeNext(0, model.size);
                    if (expected >= 0) {
                        assertThat(pool.take()).isEqualTo(first + expected);
                    } else {
                        assertThatThrownBy(pool::take).hasMessage("no bit available");
                    }
                }
            }
            assertThat(pool.taken()).isEqualTo(model.taken.size());
        }
    }

    /** The default pools of two networks, and subnets of any size that cover some of them in whole or in part, some with a range. */
    @ParameterizedTest
    @MethodSource("seeds")
    void noPoolWithoutARangeOverlapsOneThatIsThereAndDefaultPoolsAreGivenInTurn(long seed) {
        Random random = new Random(seed);
        List<Subnet> defaults = new ArrayList<>();
        for (String base : List.of("10.0.0.0/20", "10.2.0.0/21")) {
            Subnet network = Subnet.parse(base);
            for (int third = 0; third < 1 << (24 - network.length()); third++) {
                defaults.add(new Subnet(network.address().plus(third * 256L).orElseThrow(), 24));
            }
        }
        AddressSpace space = new AddressSpace(List.of("10.0.0.0/20", "10.2.0.0/21"), 24);
        List<AddressPool> live = new ArrayList<>();
        int next = 0;
        for (int step = 0; step < 1_500; step++) {
            int act = random.nextInt(step / 100 % 2 == 0 ? 5 : 3);
            if (act == 0 && !live.isEmpty()) {
                space.release(live.remove(random.nextInt(live.size())));
            } else if (act == 1) {
                Subnet asked = new Subnet(
                                Ip.parse("10." + 2 * random.nextInt(2) + "." + random.nextInt(16) + ".0")
                                        .plus(random.nextInt(256))
                                        .orElseThrow(),
                                19 + random.nextInt(10))
                        .network();
                Optional<Subnet> range = Optional.of(new Subnet(asked.first(), asked.length() + 1))
                        .filter(half -> random.nextInt(3) == 0);
                String part = range.map(Subnet::toString).orElse("");
                boolean refused = range.isPresent() ? isThere(live, asked, range) : overlaps(live, asked);
                if (refused) {
                    assertThatThrownBy(() -> space.request(asked.toString(), part, Map.of()))
                            .hasMessage("Pool overlaps with other one on this address space");
                } else {
                    live.add(space.request(asked.toString(), part, Map.of()));
                }
            } else {
                Optional<Subnet> expected = Optional.empty();
                for (int tried = 0; tried < defaults.size() && expected.isEmpty(); tried++) {
                    expected = Optional.of(defaults.get(next)).filter(each -> !overlaps(live, each));
                    next = (next + 1) % defaults.size();
                }
                if (expected.isPresent()) {
                    AddressPool pool = space.request("", "", Map.of());
                    assertThat(pool.subnet()).isEqualTo(expected.get());
                    live.add(pool);
                } else {
                    assertThatThrownBy(() -> space.request("", "", Map.of()))
                            .hasMessageStartingWith("could not find an available, non-overlapping IPv4 address pool");
                }
            }
            assertThat(space.taken())
                    .isEqualTo(live.stream()
                            .map(AddressPool::subnet)
                            .collect(Collectors.toSet())
                            .size());
        }
    }

    private static boolean isThere(List<AddressPool> live, Subnet subnet, Optional<Subnet> range) {
        return live.stream()
                .anyMatch(each -> each.subnet().equals(subnet) && each.range().equals(range));
    }

    private static boolean overlaps(List<AddressPool> live, Subnet subnet) {
        return live.stream()
                .map(AddressPool::subnet)
                .anyMatch(each -> each.contains(subnet.first()) || subnet.contains(each.first()));
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/32, 1",
        "10.1.0.0/31, 2",
        "10.1.0.0/30, 2",
        "10.1.0.0/16, 65534",
        "10.0.0.0/8, 16777214",
        "fd00::/128, 1",
        "fd00::/127, 2",
        "fd00::/126, 3",
        "fd00::/64, 18446744073709551615"
    })
    void ofASubnetTwoAddressesAreReservedInIpv4AndOneInIpv6UnlessItHasTwoOrLess(String subnet, BigInteger free) {
        AddressPool pool = new AddressSpace(List.of("10.0.0.0/8"), 24).request(subnet, "", Map.of());
        assertThat(pool.free()).isEqualTo(free);
        pool.release(pool.subnet().first());
        pool.release(pool.subnet().last());
        assertThat(pool.free()).isEqualTo(free);
    }

    @Test
    void poolsOfOneSubnetShareItsAddresses() {
        AddressSpace space = new AddressSpace(List.of("10.0.0.0/8"), 24);
        AddressPool one = space.request("10.1.0.0/16", "10.1.1.0/30", Map.of());
        AddressPool other = space.request("10.1.0.0/16", "10.1.1.0/29", Map.of());
        one.takeNext();
        assertThat(other.free()).isEqualTo(BigInteger.valueOf(7));
        assertThat(other.takeNext()).contains(Ip.parse("10.1.1.1"));
    }
}
