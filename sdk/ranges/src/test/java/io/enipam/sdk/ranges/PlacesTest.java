package io.enipam.sdk.ranges;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void placesAreASetOfBits(long seed) {
        Random random = new Random(seed);
        for (int trial = 0; trial < 300; trial++) {
            int size = 1 + random.nextInt(10_000);
            Places places = new Places(size);
            BitSet model = new BitSet();
            for (int step = 0; step < 200; step++) {
                int from = random.nextInt(size);
                if (random.nextInt(3) > 0) {
                    for (int place = from; place < Math.min(size, from + random.nextInt(500)); place++) {
                        if (places.take(place) == model.get(place)) {
                            throw new AssertionError("place " + place + " of " + size);
                        }
                        model.set(place);
                    }
                } else {
                    assertThat(places.free(from)).isEqualTo(model.get(from));
                    model.clear(from);
                }
                int free = model.nextClearBit(from);
                assertThat(places.nextFree(from)).isEqualTo(free < size ? OptionalInt.of(free) : OptionalInt.empty());
                int to = from + random.nextInt(size - from + 1);
                assertThat(places.taken(from, to)).isEqualTo(model.get(from, to).cardinality());
                assertThat(places.taken()).isEqualTo(model.cardinality());
            }
        }
    }
}
