package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.EniConfig.EniBounds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Terway's formula for how many ENIs a node may have, without its two ways to end. */
class EniBoundsTest {
    @ParameterizedTest(name = "{0} ENIs, ratio {1}, shift {2}, max {3}: {4}, {5} adjustments")
    @CsvSource({
        "4, 1,   0,  1000, 3, 0",
        "8, 0.5, 0,  1000, 3, 0",
        "8, 0.5, 2,  1000, 5, 0",
        "8, 1,   0,  5,    5, 0",
        "8, 1,  -2,  1000, 5, 0",
        "8, 1,   0,  0,    0, 1",
        "8, 2,   0,  1000, 7, 1",
        "8, 1,   9,  1000, 7, 1",
        "4, 1,  -3,  1000, 0, 1",
        "4, 1,  -9,  1000, 0, 2",
        "1, 1,   0,  1000, 0, 1",
        "0, 1,   0,  1000, 0, 1",
        "1, 10,  5,  1000, 0, 2",
        "8, 10, 1000, 1000, 7, 1",
    })
    void theCapacityIsNeverNegativeAndNeverMoreThanTheTypeAllows(
            int typeEnis, double ratio, int shift, int max, int expected, int adjustments) {
        EniBounds.Outcome outcome = new EniBounds(max, 0, ratio, shift).resolve(typeEnis);

        assertThat(outcome.max()).isEqualTo(expected);
        assertThat(outcome.adjustments()).hasSize(adjustments);
    }

    @Test
    void aMinEniAboveTheCapacityIsCutAndToldWhereTerwayDoesNotStart() {
        EniBounds.Outcome outcome = new EniBounds(2, 5, 1, 0).resolve(8);

        assertThat(outcome.max()).isEqualTo(2);
        assertThat(outcome.min()).isEqualTo(2);
        assertThat(outcome.adjustments())
                .containsExactly("min_eni 5 is above the 2 ENIs that this node can have: 2 is in force");
    }

    @Test
    void aNegativeCapacityBecomesNoneWhereTerwayCrashes() {
        EniBounds.Outcome outcome = new EniBounds(1000, 1, 1, -10).resolve(4);

        assertThat(outcome.max()).isZero();
        assertThat(outcome.min()).isZero();
        assertThat(outcome.adjustments())
                .hasSize(3)
                .anySatisfy(line -> assertThat(line).contains("come to -7 ENIs", "0 to 3", "0 is in force"))
                .anySatisfy(line -> assertThat(line).contains("no address for a pod"))
                .anySatisfy(line -> assertThat(line).contains("min_eni 1"));
    }

    @Test
    void whatCannotBeABoundIsRefused() {
        assertThatThrownBy(() -> new EniBounds(-1, 0, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EniBounds(1, -1, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EniBounds(1, 0, Double.NaN, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
